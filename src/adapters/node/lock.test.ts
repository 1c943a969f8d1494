// The lock against real processes: another process is refused, and `kill -9` of the holder frees it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { nodeLocks } from "./lock.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "skein-lock-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("a lock vanishes with kill -9 of its holder, and with its normal end", async () => {
  const path = join(directory, "lock");
  const outcomes: string[] = [];
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const holder = await startHolder(path);
    const during = await nodeLocks.acquire(path);
    holder.kill(signal);
    await once(holder, "exit");
    const after = await nodeLocks.acquire(path);
    outcomes.push(during.ok ? "taken" : during.error.code, after.ok ? "taken" : after.error.code);
    if (after.ok) await after.value.release();
  }
  expect(outcomes).toEqual(["held", "taken", "held", "taken"]);
});

test("a child that outlives the holder does not keep the lock", async () => {
  const path = join(directory, "lock");
  const holder = await startHolder(path, "spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid");
  const sleeper = Number(holder.line.split(" ")[1]);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const after = await nodeLocks.acquire(path);
  process.kill(sleeper, "SIGKILL");
  await unwrap(after, "acquire").release();
  expect(after.ok).toBe(true);
});

test("a file that is no lock file is left alone and fails", async () => {
  const path = join(directory, "text");
  const { writeFile, readFile } = await import("node:fs/promises");
  const content = "not a database, and precious ".repeat(100);
  await writeFile(path, content);
  const result = await nodeLocks.acquire(path);
  expect([result.ok ? "ok" : result.error.code, await readFile(path, "utf8")]).toEqual(["failed", content]);
});

/** A process that holds the lock and then says so, with the value of `extra`. */
async function startHolder(path: string, extra = "0"): Promise<ChildProcess & { line: string }> {
  const program = `
    const { spawn } = await import("node:child_process");
    const { nodeLocks } = await import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)});
    const lock = await nodeLocks.acquire(${JSON.stringify(path)});
    console.log(lock.ok, ${extra});
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return Object.assign(child, { line: String(line).trim() });
}
