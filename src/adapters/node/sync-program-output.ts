// The ProgramOutput port for a hook: waits in one call, since there is nothing else to do meanwhile, and needs neither sockets nor streams,
// whose loading alone costs more than the program. Never for a process that does other work.

import { spawnSync } from "node:child_process";
import type { ProgramOutput } from "../../host/program-output.ts";

export const syncProgramOutput: ProgramOutput = async ({ argv: [program, ...args], cwd, env, msMax, bytesMax }) => {
  const { error, status, stdout } = spawnSync(program, args, {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: msMax,
    killSignal: "SIGKILL",
    maxBuffer: bytesMax,
  });
  return error === undefined && status === 0 ? stdout : null;
};
