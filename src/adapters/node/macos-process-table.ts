// The ProcessTable port on macOS: one `ps` for all processes that are asked for. Tested on recorded outputs, not yet tried on a machine.

import { execFile } from "node:child_process";
import { hostname } from "node:os";
import type { Machine, ProcessLook, ProcessTable } from "../../host/process-table.ts";
import { PS_COLUMNS, readPsLines } from "./macos-ps.ts";

export type RunProgram = (program: string, args: readonly string[]) => Promise<ProgramAnswer>;

export interface ProgramAnswer {
  /** Null where the program could not be run or was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const answerMsMax = 500;
const answerBytesMax = 4 * 1024 * 1024;

export function macosProcessTable(run: RunProgram = runProgram): ProcessTable {
  return {
    machine: () => readMachine(run),
    look: (pids) => look(run, pids),
    // `ps` would have to list every process of the machine for it.
    children: async () => null,
  };
}

async function readMachine(run: RunProgram): Promise<Machine> {
  const [boot, id] = await Promise.all([
    run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]),
    run("/usr/sbin/sysctl", ["-n", "kern.uuid"]),
  ]);
  return {
    host: id.code === 0 ? `${hostname()}/${id.stdout.trim().slice(0, 12)}` : hostname(),
    boot: boot.code === 0 && boot.stdout.trim() !== "" ? boot.stdout.trim() : null,
    namespace: "macos",
  };
}

async function look(run: RunProgram, pids: readonly number[]): Promise<ReadonlyMap<number, ProcessLook>> {
  const asked = pids.filter((pid) => Number.isSafeInteger(pid) && pid > 0);
  const looks = new Map<number, ProcessLook>();
  if (asked.length > 0) {
    const answer = await run("/bin/ps", ["-o", PS_COLUMNS, "-p", asked.join(",")]);
    const found = readPsLines(answer.stdout);
    // Without any of them `ps` prints nothing and ends with 1; every other failure says nothing about the processes.
    const complete = answer.code === 0 || (answer.code === 1 && answer.stdout === "" && answer.stderr === "");
    const missing: ProcessLook = complete
      ? { kind: "gone" }
      : { kind: "unreadable", message: answer.stderr.trim() || "ps could not be run" };
    const printed = new Set(answer.stdout.split("\n").map((line) => Number.parseInt(line, 10)));
    for (const pid of asked) {
      const unread: ProcessLook = { kind: "unreadable", message: "ps printed a line of an unknown form" };
      looks.set(pid, found.get(pid) ?? (printed.has(pid) ? unread : missing));
    }
  }
  for (const pid of pids)
    if (!looks.has(pid)) looks.set(pid, { kind: "unreadable", message: `not a process number: ${pid}` });
  return looks;
}

/** The start is printed in the language and zone of the environment: both are set. */
function runProgram(program: string, args: readonly string[]): Promise<ProgramAnswer> {
  const options = { env: { LC_ALL: "C", TZ: "UTC" }, timeout: answerMsMax, maxBuffer: answerBytesMax };
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ code, stdout, stderr: stderr || (code === null ? (error?.message ?? "") : "") });
    });
  });
}
