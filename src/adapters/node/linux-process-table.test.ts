// The table on Linux: the port's contract on real processes, and what only the kernel can show: another user's process, a zombie, a
// number that was given again.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { describeProcessTable } from "../../testing/contract/process-table.ts";
import { FakeProcessTable } from "../../testing/sessions/fake-process-table.ts";
import { inProcessNamespace } from "../../testing/sessions/process-namespace.ts";
import { linuxProcessTable as table } from "./linux-process-table.ts";
import { readStatLine } from "./linux-stat.ts";

const isLinux = process.platform === "linux";
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

describeProcessTable("written by a test", async () => {
  const fake = new FakeProcessTable();
  let next = 4_000;
  return {
    table: fake,
    start: async () => fake.start(next++).pid,
    end: async (pid) => fake.end(pid),
    dispose: async () => {},
  };
});

/** Elsewhere there is no /proc, and macOS's table has its own tests. */
describe.runIf(isLinux)("on Linux", () => {
  describeProcessTable("Linux", async () => ({
    table,
    start: async () => startSleeper(),
    end: async (pid) => {
      const child = started.find((one) => one.pid === pid);
      if (child === undefined) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    dispose: async () => {},
  }));

  test("P2: a process that may not be signalled exists and is no end of anything", async () => {
    // As another user, of whom the first process is not ours: a signal to it answers EPERM.
    const program = `
      const { linuxProcessTable } = await import(${JSON.stringify(new URL("./linux-process-table.ts", import.meta.url).href)});
      if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
      let answer = "allowed";
      try { process.kill(1, 0); } catch (error) { answer = error.code; }
      console.log(answer, (await linuxProcessTable.look([1])).get(1).kind);`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^EPERM (running|hidden)\n$/), ""]);
  });

  test("P9: a zombie has ended", async () => {
    // The shell's child ends, and the program that takes the shell's place never takes note of it; a shell still there would.
    const parent = spawn("sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    started.push(parent);
    const [line] = await once(parent.stdout, "data");
    const pid = Number(String(line));
    for (let attempt = 0; attempt < 1_000 && !isZombie(pid); attempt++) await delay(10);
    expect((await table.look([pid])).get(pid)).toEqual({ kind: "zombie" });
  });

  test("P4: a name with spaces and brackets does not shift the fields", async () => {
    const child = spawn(
      process.execPath,
      ["-e", "process.title = 'a) b c'; console.log('named'); setInterval(() => {}, 1e6)"],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    started.push(child);
    await once(child.stdout, "data");
    // `ps` reads the same fields by itself.
    const [parent] = execFileSync("ps", ["-o", "ppid=", "-p", String(child.pid)], { encoding: "utf8" })
      .trim()
      .split(/\s+/);
    expect((await table.look([child.pid ?? 0])).get(child.pid ?? 0)).toMatchObject({
      kind: "running",
      name: "a) b c",
      parent: Number(parent),
    });
  });

  test("P1: a number that was given again is told by its start, in a process namespace of its own", () => {
    const script = join(import.meta.dirname, "..", "..", "testing", "sessions", "reuse-number.ts");
    const answer = inProcessNamespace([process.execPath, script]);
    expect(JSON.parse(answer)).toEqual({
      sameNumber: true,
      before: { kind: "live" },
      between: { kind: "dead", why: "its process has ended" },
      after: { kind: "dead", why: "its process number belongs to another process" },
    });
  });
});

test("P4: the fields are counted after the last bracket", () => {
  const fields = "S 41 7 7 34819 7 0 0 0 0 0 1 2 3 4 20 0 1 0 987654 1 2";
  expect(readStatLine(`42 (a) b c) ${fields}`)).toEqual({
    kind: "running",
    start: { kind: "ticks", ticks: 987654 },
    parent: 41,
    name: "a) b c",
    // 34819 is major 136, minor 3.
    terminal: "pts/3",
  });
  expect(
    [readStatLine(""), readStatLine("42 (x) S"), readStatLine(`42 (x) Z${fields.slice(1)}`)].map(({ kind }) => kind),
  ).toEqual(["unreadable", "unreadable", "zombie"]);
});

function startSleeper(): number {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  started.push(child);
  if (child.pid === undefined) throw new Error("sleep could not be started");
  return child.pid;
}

function isZombie(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
}
