// Contract of the Processes port. A simulated host must offer `cat`, `env`, `pwd`, `sleep` and the few `sh -c` scripts named here.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import type { SpawnSpec } from "../../host/processes.ts";
import { bytes, collect, freshHost, type HostUnderTest, type MakeHost, pattern, text } from "./under-test.ts";

export const SCRIPTS = {
  exitWith3: "exit 3",
  bothStreams: "echo out; echo err >&2",
  ignoresInput: "exec sleep 60 <&-",
} as const;

/** `wrapped`: there are processes of the wrapping program's own, which hold the child's input open as long as it lives. */
export function describeProcesses(name: string, make: MakeHost, how: "plain" | "wrapped" = "plain"): void {
  describe(`Processes: ${name}`, () => {
    describePipes(make);
    describeSurroundings(make);
    if (how === "plain") describeClosedInput(make);
    describeEnds(make);
  });
}

function specOf({ directory }: HostUnderTest, ...argv: SpawnSpec["argv"]): SpawnSpec {
  return { argv, cwd: directory, env: { PATH: "/usr/bin:/bin" } };
}

function describePipes(make: MakeHost): void {
  const sut = freshHost(make);

  test("1 MB goes through a child and comes back whole", async () => {
    const { host, run } = sut();
    const whole = pattern(1_000_000);
    const result = await run(
      (async () => {
        const child = unwrap(await host.processes.spawn(specOf(sut(), "cat")), "spawn");
        const output = collect(child.stdout);
        const written = await child.write(whole);
        child.endInput();
        return { written, difference: Buffer.compare(await output, whole), exit: await child.exit };
      })(),
    );
    expect(result).toEqual({ written: true, difference: 0, exit: { kind: "code", code: 0 } });
  });

  test("a child whose output nobody reads yet is held back, and nothing of it is lost", async () => {
    const { host, run } = sut();
    const whole = pattern(4_000_000);
    const result = await run(
      (async () => {
        const child = unwrap(await host.processes.spawn(specOf(sut(), "cat")), "spawn");
        let done = false;
        const writing = child.write(whole).then((answer) => {
          done = true;
          return answer;
        });
        await host.clock.sleep(50);
        const doneUnread = done;
        const output = collect(child.stdout);
        const written = await writing;
        child.endInput();
        return { doneUnread, written, difference: Buffer.compare(await output, whole), exit: await child.exit };
      })(),
    );
    expect(result).toEqual({ doneUnread: false, written: true, difference: 0, exit: { kind: "code", code: 0 } });
  });

  test("output is still there after the child has ended, each stream by itself", async () => {
    const { host, run } = sut();
    const result = await run(
      (async () => {
        const child = unwrap(await host.processes.spawn(specOf(sut(), "sh", "-c", SCRIPTS.bothStreams)), "spawn");
        const exit = await child.exit;
        await host.clock.sleep(20);
        return { exit, out: text(await collect(child.stdout)), err: text(await collect(child.stderr)) };
      })(),
    );
    expect(result).toEqual({ exit: { kind: "code", code: 0 }, out: "out\n", err: "err\n" });
  });
}

function describeSurroundings(make: MakeHost): void {
  const sut = freshHost(make);

  test("the environment is exactly the given one, and the directory the given one", async () => {
    const { host, directory, run } = sut();
    const result = await run(
      (async () => {
        const env = unwrap(
          await host.processes.spawn({ argv: ["env"], cwd: directory, env: { PATH: "/usr/bin:/bin", A: "1 2" } }),
          "env",
        );
        const pwd = unwrap(await host.processes.spawn(specOf(sut(), "pwd")), "pwd");
        const lines = text(await collect(env.stdout))
          .trimEnd()
          .split("\n")
          // The directory's own variable, which POSIX has shells set (IEEE 1003.1, cd), may be added.
          .filter((line) => line !== `PWD=${directory}`)
          .sort();
        return { lines, pwd: text(await collect(pwd.stdout)), exits: [await env.exit, await pwd.exit] };
      })(),
    );
    expect(result).toEqual({
      lines: ["A=1 2", "PATH=/usr/bin:/bin"],
      pwd: `${unwrap(await host.files.realPath(directory), "real path")}\n`,
      exits: Array(2).fill({ kind: "code", code: 0 }),
    });
  });
}

function describeClosedInput(make: MakeHost): void {
  const sut = freshHost(make);

  test("writing to a child that closed its input, or ended, answers false", async () => {
    const { host, run } = sut();
    const result = await run(
      (async () => {
        const ended = unwrap(await host.processes.spawn(specOf(sut(), "sh", "-c", SCRIPTS.exitWith3)), "spawn");
        const deaf = unwrap(await host.processes.spawn(specOf(sut(), "sh", "-c", SCRIPTS.ignoresInput)), "spawn");
        await ended.exit;
        await host.clock.sleep(100);
        const answers = [await ended.write(pattern(100_000)), await deaf.write(pattern(1_000_000))];
        ended.endInput();
        deaf.kill("SIGKILL");
        await deaf.exit;
        return answers;
      })(),
    );
    expect(result).toEqual([false, false]);
  });
}

function describeEnds(make: MakeHost): void {
  const sut = freshHost(make);

  test("a non-zero code and a signal are told apart; killing what is gone is fine", async () => {
    const { host, run } = sut();
    const exits = await run(
      (async () => {
        const failing = unwrap(await host.processes.spawn(specOf(sut(), "sh", "-c", SCRIPTS.exitWith3)), "spawn");
        const killed = unwrap(await host.processes.spawn(specOf(sut(), "sleep", "60")), "spawn");
        const stopped = unwrap(await host.processes.spawn(specOf(sut(), "sleep", "60")), "spawn");
        killed.kill("SIGKILL");
        stopped.kill("SIGTERM");
        const all = await Promise.all([failing.exit, killed.exit, stopped.exit]);
        killed.kill("SIGTERM");
        return { all, pids: new Set([failing.pid, killed.pid, stopped.pid]).size };
      })(),
    );
    expect(exits).toEqual({
      all: [
        { kind: "code", code: 3 },
        { kind: "signal", signal: "SIGKILL" },
        { kind: "signal", signal: "SIGTERM" },
      ],
      pids: 3,
    });
  });

  test("streams of a killed child end", async () => {
    const { host, run } = sut();
    const result = await run(
      (async () => {
        const child = unwrap(await host.processes.spawn(specOf(sut(), "cat")), "spawn");
        const output = child.stdout[Symbol.asyncIterator]();
        const errors = collect(child.stderr);
        await child.write(bytes("seen"));
        const { value: first } = await output.next();
        child.kill("SIGKILL");
        await child.exit;
        const rest = await collect({ [Symbol.asyncIterator]: () => output });
        return [text(first ?? bytes("")), text(rest), text(await errors)];
      })(),
    );
    expect(result).toEqual(["seen", "", ""]);
  });

  test("an unknown program and a missing directory are told apart", async () => {
    const { host, directory, run } = sut();
    const results = await run(
      Promise.all([
        host.processes.spawn(specOf(sut(), "no-such-program")),
        host.processes.spawn({ ...specOf(sut(), "cat"), cwd: `${directory}/none` }),
      ]),
    );
    expect(results).toEqual([
      {
        ok: false,
        error: { kind: "spawn", code: "not-found", program: "no-such-program", message: expect.any(String) },
      },
      {
        ok: false,
        error: { kind: "spawn", code: "other", program: "cat", message: expect.stringContaining(`${directory}/none`) },
      },
    ]);
  });
}
