// H12, H15: children that die with the process that started them, also by `kill -9`, and also those that left their group. Real processes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { nodeProcesses } from "./processes.ts";

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function gone(pids: readonly number[]): Promise<readonly boolean[]> {
  for (let tries = 0; tries < 200 && pids.some(alive); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return pids.map(alive);
}

const isLinux = process.platform === "linux";

/** Background processes in the group, in a session of its own, and in one whose environment is empty: their ids on one line. */
const command = `sleep 300 & sleep 300 >/dev/null 2>&1 &
${isLinux ? "setsid sleep 300 >/dev/null 2>&1 </dev/null & setsid bash -c 'sleep 300 & wait' >/dev/null 2>&1 </dev/null &" : ""}
echo $$ $(jobs -p); wait`;
const count = isLinux ? 5 : 3;

test("H15 kill -9 of the parent ends a shell, what it left in the background and what left its session", async () => {
  const program = `
    import { nodeProcesses } from ${JSON.stringify(new URL("./processes.ts", import.meta.url).href)};
    const command = ${JSON.stringify(command)};
    const child = await nodeProcesses.spawn({ argv: ["bash", "-c", command], cwd: "/", env: { PATH: process.env.PATH }, diesWithUs: true });
    for await (const bytes of child.value.stdout) process.stdout.write(bytes);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  const pids = String(line).trim().split(/\s+/).map(Number);
  expect(pids.map(alive)).toEqual(Array(count).fill(true));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  expect(await gone(pids)).toEqual(Array(count).fill(false));
});

test.runIf(isLinux)(
  "H12 a kill reaches what left its group and its session, with an empty environment too",
  async () => {
    const line = `${command.replace("echo", "env -i setsid sleep 300 >/dev/null 2>&1 </dev/null &\necho")}`;
    const started = await nodeProcesses.spawn({
      argv: ["bash", "-c", line],
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
      diesWithUs: true,
    });
    if (!started.ok) throw new Error(started.error.message);
    let said = "";
    for await (const bytes of started.value.stdout) {
      said += Buffer.from(bytes).toString();
      if (said.includes("\n")) break;
    }
    const pids = said.trim().split(/\s+/).map(Number);
    const before = pids.map(alive);
    started.value.kill("SIGTERM");
    await started.value.exit;
    started.value.kill("SIGKILL");
    expect([before, await gone(pids)]).toEqual([Array(6).fill(true), Array(6).fill(false)]);
  },
);
