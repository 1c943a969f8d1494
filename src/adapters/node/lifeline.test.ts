// H15: children that die with the process that started them, also by `kill -9`. Real processes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("H15 kill -9 of the parent ends a shell, its grandchild and what it left in the background", async () => {
  const program = `
    import { nodeProcesses } from ${JSON.stringify(new URL("./processes.ts", import.meta.url).href)};
    const command = "sleep 300 & sleep 300 >/dev/null 2>&1 & echo $$ $(jobs -p); wait";
    const child = await nodeProcesses.spawn({ argv: ["bash", "-c", command], cwd: "/", env: { PATH: process.env.PATH }, diesWithUs: true });
    for await (const bytes of child.value.stdout) process.stdout.write(bytes);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  const pids = String(line).trim().split(/\s+/).map(Number);
  expect(pids.map(alive)).toEqual([true, true, true]);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  for (let tries = 0; tries < 200 && pids.some(alive); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  expect(pids.map(alive)).toEqual([false, false, false]);
});
