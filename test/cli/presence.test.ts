// Presence through the real programs: hooks as clients start them, `skein who` and `skein intent`, our own harness and a swarm beside them.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { storm } from "../support/hook-storm.ts";
import { HookedAgent, hookProgram, recordedLines } from "../support/hooked-agents.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { bash, handoff, plan, work, write, writeScript } from "../support/script.ts";
import { eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { startSwarm } from "../support/swarm.ts";

const test = smallTest.concurrent;

interface ShownRow {
  readonly client: string;
  readonly session: string;
  readonly liveness: string;
  readonly state: string;
  readonly files: readonly { readonly path: string }[];
  readonly intent: { readonly text: string } | null;
  readonly workers: number | null;
}

async function who({ box, repository }: Small, ...flags: readonly string[]): Promise<readonly ShownRow[]> {
  const json = lastJson(await skein(box, { args: ["who", "--json", ...flags], cwd: repository }));
  return json.sessions as readonly ShownRow[];
}

const brief = (rows: readonly ShownRow[]) =>
  rows.map(({ client, session, liveness, state }) => [client, session, liveness, state]);

const context = (stdout: string): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;

test("a second session is told of the first and of its first common file; after kill -9 the first is gone", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  using first = new HookedAgent(box, { session: "first", cwd: repository });
  using second = new HookedAgent(box, { session: "second", cwd: repository });
  const alone = await first.fire("SessionStart", { source: "startup" });
  await first.fire("UserPromptSubmit", { prompt: "Rewrite the first file completely" });
  await first.edit(join(repository, "a.txt"));
  const block = context((await second.fire("SessionStart", { source: "startup" })).stdout);
  const touch = context((await second.edit(join(repository, "a.txt"))).stdout);
  const again = await second.edit(join(repository, "a.txt"));
  expect(again.stdout).toBe("");
  expect(context(alone.stdout)).toMatch(/^Notes that agent sessions leave/);
  expect(block).toMatch(
    /- claude-code first: working; branch \S+ \(yours\), your worktree;.*\n {2}intent: "Rewrite the first file completely"\n {2}edited: a\.txt/,
  );
  expect(touch).toMatch(/^Session claude-code first edited a\.txt at /);
  expect(brief(await who(small)).toSorted()).toEqual([
    ["claude-code", "first", "live", "working"],
    ["claude-code", "second", "live", "working"],
  ]);
  await first.kill();
  const left = context((await second.fire("SessionStart", { source: "resume" })).stdout);
  expect(left).toMatch(/^Notes that agent sessions leave/);
  expect(brief(await who(small))).toEqual([["claude-code", "second", "live", "waiting"]]);
  expect(brief(await who(small, "--all"))).toContainEqual(["claude-code", "first", "dead", "working"]);
});

test("skein who says the same on its short way and through the whole command line", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.edit(join(repository, "a.txt"));
  const ask = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await skein(box, { args: ["who", ...args], cwd: repository });
    // The age of what was seen grows between two looks, and `at` is the look's own.
    return [exitCode, stdout.replace(/"at":"[^"]+"|\d+ \S+ ago|less than 1 min ago/g, ""), stderr];
  };
  const [short, long] = [await ask("--all"), await ask("--all", "--repo", ".")];
  const [shortJson, longJson] = [
    await ask("--json", `--repo=${repository}`),
    await ask("--json", "--repo", repository),
  ];
  expect([short, shortJson]).toEqual([long, longJson]);
  expect(shortJson).toEqual([0, expect.stringContaining('"path":"a.txt"'), ""]);
  expect(await ask("--jsom")).toEqual([2, "", expect.stringContaining("unknown option '--jsom'")]);
});

test("P29: hooks of many sessions and of each at once: every event is kept, no line torn, no phantom, no false death", async () => {
  expect(await storm({ sessions: 12, events: 4, processes: 48, kills: 6 })).toEqual({
    events: 48,
    lost: [],
    torn: 0,
    failedHooks: 0,
    phantoms: [],
    falseDeaths: [],
  });
});

test("P30: whatever is wrong, a hook ends with 0 and says nothing, and the fault is in our log", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  const ends = [
    await agent.send(""),
    await agent.send("no json"),
    await agent.send("[1, 2]"),
    await agent.send('{"hook_event_name": 7}'),
    await agent.fire("Stop", { cwd: join(box.root, "gone") }),
    await agent.fire("PostToolUse", { tool_name: "Write", tool_input: "not an object" }),
  ];
  expect(ends).toEqual(Array(6).fill({ exitCode: 0, stdout: "" }));
  const faults = readFileSync(join(box.state, "hook-faults.jsonl"), "utf8").trimEnd().split("\n");
  expect(faults.map((line) => JSON.parse(line).client)).toEqual(Array(faults.length).fill("claude-code"));
  expect(faults.length).toBeGreaterThanOrEqual(3);
  // Input is another's secret: it is not quoted in the log.
  expect(faults.join()).not.toContain("no json");
});

test("P30: a state directory that cannot be made, an unknown client, hooks switched off", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  writeFileSync(join(box.root, "file"), "");
  const payload = JSON.stringify({
    session_id: "s",
    cwd: repository,
    hook_event_name: "SessionStart",
    source: "startup",
  });
  const nowhere = { SKEIN_STATE_DIR: "", XDG_STATE_HOME: "", XDG_CACHE_HOME: "", HOME: "/proc/x" };
  const ends = [
    await hook(box, { client: "claude-code", input: payload, env: { SKEIN_STATE_DIR: join(box.root, "file", "x") } }),
    await hook(box, { client: "claude-code", input: payload, env: { SKEIN_STATE_DIR: "relative" } }),
    // Node, asked to make several directories at once, tries for ever there.
    await hook(box, { client: "claude-code", input: payload, env: { SKEIN_STATE_DIR: "/proc/x/y" } }),
    await hook(box, { client: "claude-code", input: payload, env: nowhere }),
    await hook(box, { client: "nobody", input: payload }),
    await hook(box, { client: "claude-code", input: payload, env: { SKEIN_HOOKS_OFF: "1" } }),
  ];
  expect(ends).toEqual(Array(6).fill({ code: 0, stdout: "", stderr: "" }));
  const command = await skein(box, { args: ["--version"], cwd: repository, env: { SKEIN_STATE_DIR: "/proc/x/y" } });
  expect(command.exitCode).toBe(0);
  expect(existsSync(join(box.state, "presence"))).toBe(false);
});

test("P34: Copilot runs its own hooks and those of Claude Code's settings: each event is told once", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  const input = JSON.stringify({
    hook_event_name: "UserPromptSubmit",
    session_id: "c-1",
    timestamp: "2026-11-29T20:12:44.838Z",
    cwd: repository,
    prompt: "write the file",
  });
  const env = { COPILOT_CLI: "1", COPILOT_HOME: join(box.root, "copilot"), COPILOT_PROJECT_DIR: repository };
  const lines = () =>
    existsSync(join(box.state, "presence")) ? [...recordedLines(box.state).values()].flat().length : 0;
  const told = async (client: string) => {
    const before = lines();
    expect(await hook(box, { client, input, env })).toEqual({ code: 0, stdout: "", stderr: "" });
    return lines() - before;
  };
  expect([await told("claude-code"), await told("copilot")]).toEqual([1, 1]);
  for (const directory of [join(box.root, "copilot", "hooks"), join(repository, ".github", "hooks")]) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "skein.json"), '{"hooks":{}}');
    const other = await told("claude-code");
    writeFileSync(
      join(directory, "skein.json"),
      '{"hooks":{"Stop":[{"hooks":[{"command":"/d/skein/skein-hook copilot"}]}]}}',
    );
    expect([other, await told("claude-code"), await told("copilot")]).toEqual([1, 0, 1]);
    rmSync(directory, { recursive: true });
  }
  expect(brief(await who(small, "--all")).map(([client, session]) => [client, session])).toEqual([["copilot", "c-1"]]);
});

test("P31: a hook does not wait for the end of its input once the object is whole, nor for ever without one", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  const payload = JSON.stringify({
    session_id: "s",
    cwd: repository,
    hook_event_name: "Stop",
  });
  // Both sockets and both pipes stay open until the hook has ended by itself.
  const half = '{"session_id": "t", ';
  const ends = [
    await hook(box, { client: "claude-code", input: payload, keepOpen: true }),
    await hook(box, { client: "claude-code", input: half, keepOpen: true }),
    await hook(box, { client: "claude-code", input: payload, keepOpen: true, pipe: true }),
    await hook(box, { client: "claude-code", input: half, keepOpen: true, pipe: true }),
  ];
  expect(ends).toEqual(Array(4).fill({ code: 0, stdout: "", stderr: "" }));
  expect([...recordedLines(box.state).values()].map(({ length }) => length)).toEqual([2]);
});

test("the state directory is its user's alone", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "s", cwd: repository });
  await agent.fire("SessionStart", { source: "startup" });
  expect((statSync(box.state).mode & 0o777).toString(8)).toBe("700");
});

test("M2, P32: a session's files are only in its own directory", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using first = new HookedAgent(box, { session: "first", cwd: repository });
  using second = new HookedAgent(box, { session: "second", cwd: repository });
  const changed = () => {
    const files = readdirSync(box.state, { recursive: true, encoding: "utf8" }).filter((path) => /first/.test(path));
    return files.map((path) => [path, statSync(join(box.state, path)).mtimeMs, statSync(join(box.state, path)).size]);
  };
  await first.fire("SessionStart", { source: "startup" });
  await first.edit("a.txt");
  const before = changed();
  await second.fire("SessionStart", { source: "startup" });
  for (const path of ["a.txt", "b.txt"]) await second.edit(path);
  expect(changed()).toEqual(before);
});

test("an agent says what it is for; others see it redacted, and a command outside any session is told how", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "talker", cwd: repository });
  await agent.fire("SessionStart", { source: "startup" });
  const outside = await skein(box, { args: ["intent", "Nothing"], cwd: repository });
  const named = await skein(box, {
    args: ["intent", "Move the parser; token=abc12345", "--session", "claude-code/talk", "--json"],
    cwd: repository,
  });
  expect(outside).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("claude-code/talker") });
  expect(JSON.parse(named.stdout)).toEqual({
    client: "claude-code",
    name: "talker",
    intent: "Move the parser; token=[redacted]",
  });
  expect((await who(small)).map(({ intent }) => intent?.text)).toEqual(["Move the parser; token=[redacted]"]);
});

interface HookCall {
  readonly client: string;
  readonly input: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly keepOpen?: boolean;
  /** Through a pipe: Node gives its children sockets. */
  readonly pipe?: boolean;
}

async function hook(box: Sandbox, call: HookCall) {
  const { client, input, env = {}, keepOpen = false, pipe = false } = call;
  const fifo = pipe ? openFifo(box, input) : null;
  const child = spawn(process.execPath, [hookProgram, client], {
    env: { ...box.env, ...env },
    cwd: box.root,
    stdio: [fifo ?? "pipe", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  child.stdin?.on("error", () => undefined);
  child.stdin?.write(input);
  if (!keepOpen) child.stdin?.end();
  const [code] = await once(child, "exit");
  child.stdin?.destroy();
  if (fifo !== null) closeSync(fifo);
  return { code, ...said };
}

/** A pipe with the input in it, whose other end stays open with us. */
function openFifo({ temporary }: Sandbox, input: string): number {
  const path = join(mkdtempSync(join(temporary, "fifo-")), "pipe");
  execFileSync("mkfifo", [path]);
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, input);
  return descriptor;
}

const answers = (...turns: readonly object[]) =>
  turns.map((turn, index) => ({ role: "solo", turn: index + 1, ...turn }));
const wait = bash('touch "$HOME/waits"; until test -e "$HOME/go"; do sleep 0.05; done');

test("our own harness is a session as any other: it is seen, and it is told of others", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  using agent = new HookedAgent(box, { session: "first", cwd: repository });
  await agent.edit(join(repository, "a.txt"));
  const model = writeScript(
    join(box.root, "solo.json"),
    answers({ calls: [write("a.txt", "ours\n")] }, { calls: [wait] }, { say: "Done." }),
  );
  const run = startSkein(box, { args: ["run", "Rewrite the only file", "--model", model, "--json"], cwd: repository });
  await eventually("the agent waits", () => (existsSync(join(box.home, "waits")) ? true : null));
  const rows = await who(small);
  const block = await agent.fire("SessionStart", { source: "resume" });
  writeFileSync(join(box.home, "go"), "");
  const end = lastJson(await run.ended);
  const own = rows.filter(({ client }) => client === "skein");
  expect(own).toMatchObject([
    {
      session: end.runId,
      liveness: "live",
      state: "working",
      intent: { text: "Rewrite the only file" },
      files: [{ path: "a.txt" }],
    },
  ]);
  expect(context(block.stdout)).toMatch(/- skein \S+: working/);
  const transcript = readFileSync(String(end.transcript), "utf8");
  expect(transcript).toContain("- claude-code first: working");
  // Told in a message of its own: the task is the person's words and no more.
  const [task] = transcript.split("\n").filter((line) => line.includes("Rewrite the only file"));
  expect(task).not.toContain("claude-code first");
  expect(transcript).toContain("Session claude-code first edited a.txt");
  expect((await who(small)).map(({ client }) => client)).toEqual(["claude-code"]);
});

test("P37: a swarm is one row while it runs, and none after it", async ({ small }) => {
  small.make();
  const { box, repository } = small;
  const rules = [
    ...plan([{ key: "one" }]),
    ...work("one", [write("one.txt", "1\n"), wait], handoff({ message: "Do one" })),
  ];
  const running = startSwarm(box, { repository, rules });
  await eventually("a worker waits", () => (existsSync(join(box.home, "waits")) ? true : null));
  const rows = await who(small);
  writeFileSync(join(box.home, "go"), "");
  await running.ended;
  expect(rows).toMatchObject([
    { client: "skein-swarm", liveness: "live", state: "working", intent: { text: "Reach the goal" } },
  ]);
  expect(rows[0]?.workers).toEqual(expect.any(Number));
  expect(await who(small)).toEqual([]);
});
