// How hooks are started: through the launcher, from a compiled form that is kept, and where process numbers are others'.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { launcherText } from "../../src/clients/launcher-text.ts";
import { git } from "../../src/testing/git/real-repository.ts";
import { inProcessNamespace } from "../../src/testing/sessions/process-namespace.ts";
import { HookedAgent, hookProgram, recordedLines } from "../support/hooked-agents.ts";
import { bundle, lastJson, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";

// Whole programs on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

const test = smallTest.concurrent;
const testOnLinux = process.platform === "linux" ? test : test.skip;
/** By itself: a hook waits for git a quarter of a second. */
const testAlone = process.platform === "linux" ? smallTest : smallTest.skip;

const payload = (cwd: string, event: string, fields: object): string =>
  JSON.stringify({ session_id: "s", cwd, hook_event_name: event, transcript_path: "/t.jsonl", ...fields });

const edit = (path: string) => ({ tool_name: "Write", tool_input: { file_path: path }, tool_use_id: path });

interface HookEnd {
  readonly code: number;
  readonly output: string;
}

async function hook(
  { box, repository }: Small,
  event: string,
  fields: object,
  options: { readonly argv?: readonly string[]; readonly words?: readonly string[]; readonly env?: object } = {},
): Promise<HookEnd> {
  const started = options.argv ?? [process.execPath, hookProgram];
  const [program, ...args] = [...started, "claude-code", ...(options.words ?? [])];
  const child = spawn(program ?? "", args, { cwd: repository, env: { ...box.env, ...options.env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  child.stdin.end(payload(repository, event, fields));
  const [code] = await once(child, "close");
  return { code, output };
}

test("P29: twenty hooks of one session at once, through the launcher: each has its line, and none is torn", async ({
  small,
}) => {
  small.make();
  const launcher = join(small.box.root, "skein-hook");
  writeFileSync(launcher, launcherText({ hook: hookProgram, node: process.execPath }), { mode: 0o755 });
  const names = Array.from({ length: 20 }, (_, index) => `file-${index}.txt`);
  const ends = await Promise.all(names.map((name) => hook(small, "PostToolUse", edit(name), { argv: [launcher] })));
  expect(ends).toEqual(names.map(() => ({ code: 0, output: "" })));
  const lines = [...recordedLines(small.box.state).values()].flat().map((line) => JSON.parse(line));
  expect(lines.flatMap(({ files }) => files).toSorted()).toEqual(names.toSorted());
  expect(lines.length).toBe(20);
});

testOnLinux(
  "P5: where process numbers are others', whether a session lives is unknown, there and here",
  async ({ small }) => {
    small.make();
    const { box, repository } = small;
    const argv = (...args: readonly string[]) => [process.execPath, ...args];
    using outside = new HookedAgent(box, { session: "outside", cwd: repository });
    await outside.edit("a.txt");
    const fired = inProcessNamespace(argv(hookProgram, "claude-code"), {
      cwd: repository,
      env: box.env,
      input: payload(repository, "PostToolUse", { ...edit("b.txt"), session_id: "inside" }),
    });
    const there = (): object =>
      livenessOf(
        JSON.parse(inProcessNamespace(argv(bundle, "who", "--all", "--json"), { cwd: repository, env: box.env })),
      );
    const here = async (): Promise<object> =>
      livenessOf(lastJson(await skein(box, { args: ["who", "--all", "--json"], cwd: repository })));
    const [thereFirst, hereFirst] = [there(), await here()];
    await outside.kill();
    expect([fired, thereFirst, hereFirst, there(), await here()]).toEqual([
      "",
      // The namespace of that hook has ended with it, and each is a new one.
      { outside: "unknown", inside: "unknown" },
      { outside: "live", inside: "unknown" },
      { outside: "unknown", inside: "unknown" },
      { outside: "dead", inside: "unknown" },
    ]);
  },
);

function livenessOf(who: { readonly sessions?: unknown }): object {
  const sessions = who.sessions as readonly { readonly session: string; readonly liveness: string }[];
  return Object.fromEntries(sessions.map(({ session, liveness }) => [session, liveness]));
}

test("the compiled form of a hook is kept once for each frequent kind of event, and made anew where it is damaged or another's", async ({
  small,
}) => {
  small.make();
  const { box } = small;
  const caches = join(box.root, "caches");
  mkdirSync(caches);
  const fire = (event: string, fields: object) => hook(small, event, fields, { env: { XDG_CACHE_HOME: caches } });
  const folder = join(caches, "skein", "compiled");
  const kept = (name: string) => {
    const file = `${name}-${process.version}-${process.arch}`;
    const bytes = readFileSync(join(folder, file));
    const [stamp, , , kinds] = bytes.toString("latin1", 0, bytes.indexOf(10)).trim().split(" ");
    return { file, path: join(folder, file), bytes, stamp, kinds };
  };
  await fire("SessionStart", { source: "startup" });
  const others = kept("hook-part-others");
  expect([readdirSync(folder), others.kinds]).toEqual([[others.file], "claude-code:session-started"]);
  await fire("PostToolUse", edit("a.txt"));
  const first = kept("hook-core");
  await fire("PostToolUse", edit("b.txt"));
  const again = kept("hook-core");
  await fire("UserPromptSubmit", { prompt: "Go on with it" });
  await fire("Stop", {});
  const [more, redaction] = [kept("hook-core"), kept("hook-part-redaction")];
  const source = readFileSync(join(hookProgram, "..", "hook-core.cjs"), "latin1");
  expect([first.stamp, first.kinds]).toEqual([source.slice(3, 67), "claude-code:files-edited"]);
  expect(again.bytes.equals(first.bytes)).toBe(true);
  expect([more.kinds, redaction.kinds]).toEqual(["claude-code:files-edited,claude-code:prompt", "claude-code:prompt"]);
  expect(readdirSync(folder).sort()).toEqual([more.file, others.file, redaction.file]);
  // V8 crashes on data with such damage; another build's form is not even shown to it.
  const damaged = ({ bytes }: { readonly bytes: Buffer }): readonly Buffer[] => {
    // As a crash leaves it: the length is there, and a block has nothing.
    const broken = Buffer.from(bytes);
    broken.fill(0, broken.length >> 2, (broken.length >> 2) + 512);
    const foreign = Buffer.concat([Buffer.from(`${"0".repeat(64)} x      \n`), bytes.subarray(200)]);
    return [broken, foreign, bytes.subarray(0, -4096), Buffer.from("x"), Buffer.alloc(0)];
  };
  for (const bytes of damaged(more)) {
    writeFileSync(more.path, bytes);
    expect(await fire("PostToolUse", edit("c.txt"))).toEqual({ code: 0, output: "" });
    expect([kept("hook-core").stamp, kept("hook-core").kinds]).toEqual([first.stamp, "claude-code:files-edited"]);
  }
  for (const bytes of damaged(redaction)) {
    writeFileSync(redaction.path, bytes);
    expect(await fire("UserPromptSubmit", { prompt: "Go on with it" })).toEqual({ code: 0, output: "" });
    expect(kept("hook-part-redaction")).toMatchObject({ stamp: first.stamp, kinds: "claude-code:prompt" });
  }
  const lines = [...recordedLines(box.state).values()].flat().map((line) => JSON.parse(line).kind);
  expect(lines.filter((kind) => kind === "files-edited").length).toBe(7);
  expect(lines.filter((kind) => kind === "prompt").length).toBe(6);
});

test("a hook whose parts are of two builds tells so in the faults, and goes on where that part is not needed", async ({
  small,
}) => {
  small.make();
  const { box } = small;
  const package_ = join(box.root, "package");
  cpSync(join(hookProgram, ".."), package_, {
    recursive: true,
    filter: (path) => !/[\\/](?:chunks|plugins)$/.test(path),
  });
  const part = join(package_, "hook-part-redaction.cjs");
  writeFileSync(part, readFileSync(part, "utf8").replace(/^\/\/ [0-9a-f]{64}/, `// ${"0".repeat(64)}`));
  const fire = (event: string, fields: object) =>
    hook(small, event, fields, { argv: [process.execPath, join(package_, "hook.cjs")] });
  expect(await fire("UserPromptSubmit", { prompt: "Go on with it" })).toEqual({ code: 0, output: "" });
  expect(await fire("PostToolUse", edit("a.txt"))).toEqual({ code: 0, output: "" });
  const lines = [...recordedLines(box.state).values()].flat().map((line) => JSON.parse(line).kind);
  expect(lines).toEqual(["files-edited"]);
  expect(readFileSync(join(box.state, "hook-faults.jsonl"), "utf8")).toContain("was replaced while this began");
});

/** A stand-in for git on its own path: says by whom it was asked for the worktree's state, does what `text` says with `$count` of the calls so far, then is git. */
function gitBefore({ box }: Small, text: string): { readonly path: string; readonly calls: () => readonly string[] } {
  const folder = join(box.root, "git");
  const log = join(box.root, "git-calls");
  mkdirSync(folder);
  const real = (process.env.PATH ?? "").split(":").find((part) => existsSync(join(part, "git"))) ?? "";
  // Nothing but the shell's own commands: it is to take no longer than git.
  const script = [
    "count=0",
    `[ ! -f '${log}' ] || while read -r line; do count=$((count + 1)); done <'${log}'`,
    `case " $* " in *" --ignored"*) all=" for all" ;; esac`,
    `case " $* " in *" status "*) read -r by </proc/$PPID/comm; echo "$by$all" >>'${log}' ;; esac`,
    text,
    `exec '${join(real, "git")}' "$@"`,
  ];
  writeFileSync(join(folder, "git"), `#!/bin/sh\n${script.join("\n")}\n`, { mode: 0o755 });
  const calls = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { path: `${folder}:${box.env.PATH ?? ""}`, calls };
}

interface ShellRun {
  readonly end: object | undefined;
  readonly calls: readonly string[];
  readonly ends: readonly HookEnd[];
}

/** Before and after a command that writes `made.txt`, through the launcher. */
async function shellCommand(small: Small, git: string, env: object = {}): Promise<ShellRun> {
  small.make();
  const launcher = join(small.box.root, "skein-hook");
  writeFileSync(launcher, launcherText({ hook: hookProgram, node: process.execPath }), { mode: 0o755 });
  const { path, calls } = gitBefore(small, git);
  const fire = (event: string, fields: object) =>
    hook(
      small,
      event,
      { ...fields, tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "c1" },
      {
        argv: [launcher],
        words: ["shell"],
        env: { ...env, PATH: path },
      },
    );
  const before = await fire("PreToolUse", {});
  writeFileSync(join(small.repository, "made.txt"), "made");
  const after = await fire("PostToolUse", { tool_response: {} });
  const lines = [...recordedLines(small.box.state).values()].flat().map((line) => JSON.parse(line));
  const found = lines.find(({ kind }) => kind === "shell-ended");
  const end = found === undefined ? undefined : { call: found.call, files: found.files, how: found.how };
  return { end, calls: calls(), ends: [before, after] };
}

const quietly: readonly HookEnd[] = [
  { code: 0, output: "" },
  { code: 0, output: "" },
];
const attributed = { call: "c1", files: ["made.txt"], how: "shell" };

testAlone(
  "P35 around a shell command git runs beside Node, once for each event, whatever the client's variables say",
  async ({ small }) => {
    // Without a place for marks the launcher always starts it.
    const env = { GIT_DIR: "/nowhere", GIT_WORK_TREE: "/", SKEIN_LOOK: "0", XDG_CACHE_HOME: "nowhere" };
    const { end, calls, ends } = await shellCommand(small, "", env);
    expect([end, ends]).toEqual([attributed, quietly]);
    // When the agent has its answer the hook may ask for what is ignored, too.
    expect(calls.filter((call) => !call.endsWith("for all"))).toEqual(["skein-hook", "skein-hook"]);
  },
);

/** Longer than the youth of a change that is not recorded yet. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

testAlone("P35 in a small worktree a command costs no start of git but where only git can tell", async ({ small }) => {
  small.make({ "a.txt": { kind: "file", bytes: "one\n" }, "src/b.ts": { kind: "file", bytes: "two\n" } });
  const { box, repository } = small;
  const at = (path: string): string => join(repository, path);
  mkdirSync(at(".git/info"));
  writeFileSync(at(".git/info/exclude"), "*.log\n");
  const launcher = join(box.root, "skein-hook");
  writeFileSync(launcher, launcherText({ hook: hookProgram, node: process.execPath }), { mode: 0o755 });
  const caches = join(box.root, "caches");
  mkdirSync(caches);
  const { path, calls } = gitBefore(small, "");
  let count = 0;
  const ends: HookEnd[] = [];
  /** What was told of a command, and who started git before and after it. */
  const command = async (work: () => void): Promise<object> => {
    count += 1;
    const [call, seen] = [`c${count}`, calls().length];
    const fire = async (event: string, fields: object): Promise<void> => {
      const shell = { ...fields, tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: call };
      const options = { argv: [launcher], words: ["shell"], env: { PATH: path, XDG_CACHE_HOME: caches } };
      ends.push(await hook(small, event, shell, options));
      await settled();
    };
    await fire("PreToolUse", {});
    const between = calls().length;
    work();
    await settled();
    await fire("PostToolUse", { tool_response: {} });
    const lines = [...recordedLines(box.state).values()].flat().map((line) => JSON.parse(line));
    const end = lines.find((line) => line.kind === "shell-ended" && line.call === call);
    return { files: end?.files, how: end?.how, before: calls().slice(seen, between), after: calls().slice(between) };
  };
  const told = (
    files: readonly string[] | undefined,
    before: readonly string[] = [],
    after: readonly string[] = [],
  ) => ({
    files,
    how: files && "shell",
    before,
    after,
  });
  // Node's own name for its first thread.
  const byHook = "MainThread for all";
  await settled();
  const first = await command(() => {});
  expect(first).toMatchObject({ files: undefined, before: ["skein-hook", byHook] });
  // A busy machine's git may have been given up.
  const isKnown = async (): Promise<boolean> => {
    const seen = calls().length;
    await command(() => {});
    return calls().length === seen;
  };
  await vi.waitUntil(isKnown, { timeout: 60_000 });
  expect(await command(() => {})).toEqual(told(undefined));
  expect(await command(() => writeFileSync(at("a.txt"), "longer\n"))).toEqual(told(["a.txt"]));
  expect(await command(() => rmSync(at("src/b.ts")))).toEqual(told(["src/b.ts"]));
  // Another content of the same size, and a name that is new.
  expect(await command(() => writeFileSync(at("a.txt"), "LONGER\n"))).toEqual(told(["a.txt"]));
  expect(await command(() => writeFileSync(at("made.txt"), "made"))).toEqual(told(["made.txt"], [], [byHook]));
  expect(await command(() => writeFileSync(at("made.txt"), "Made"))).toEqual(told(["made.txt"]));
  expect(await command(() => writeFileSync(at("make.log"), "log"))).toEqual(told(undefined, [], [byHook]));
  expect(await command(() => writeFileSync(at("make.log"), "more"))).toEqual(told(undefined));
  // The index is another: the launcher sees that, too.
  const committed = await command(() => void git(repository, ["commit", "--quiet", "--all", "--message=all"]));
  expect(committed).toEqual(told(undefined, [], ["skein-hook", byHook]));
  expect(await command(() => {})).toEqual(told(undefined));
  expect(ends.filter(({ code, output }) => code !== 0 || output !== "")).toEqual([]);
});
