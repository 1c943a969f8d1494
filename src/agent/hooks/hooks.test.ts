// Hooks as real programs: which are run for what, what their exit codes and output mean, and that none is run twice or outlives an abort.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { mayCover } from "./condition.ts";
import { readHooks } from "./hook-file.ts";
import { Hooks } from "./hooks.ts";
import { matches } from "./matcher.ts";

const place = mkdtempSync(join(tmpdir(), "skein-hooks-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function hooksOf(event: string, ...commands: readonly object[]) {
  const notes: string[] = [];
  const { processes, clock } = nodeHost();
  const list = readHooks(
    { [event]: [{ matcher: "*", hooks: commands.map((one) => ({ type: "command", ...one })) }] },
    "f",
  );
  const env = { PATH: process.env.PATH ?? "", PLACE: place };
  return { hooks: new Hooks({ processes, clock, list, env, onNote: (text) => notes.push(text) }), notes };
}

type Answer = Awaited<ReturnType<Hooks["fire"]>>;

async function fired(event: "PreToolUse" | "PostToolUse" | "Stop" | "SessionStart", ...commands: readonly object[]) {
  const { hooks, notes } = hooksOf(event, ...commands);
  const payload = { hook_event_name: event, tool_input: { file_path: "/tree/.env" } };
  const { signal } = new AbortController();
  const answer = await hooks.fire({ event, names: ["Write"], payload, cwd: place }, signal);
  return { answer, notes };
}

function said({ decision, reason, context, end }: Answer) {
  return { decision, reason, context, end };
}

const nothing = { decision: null, reason: "", context: "", end: null };
const printing = (output: object) => ({ command: `cat > /dev/null; echo '${JSON.stringify(output)}'` });

test("exit codes and output mean what Claude Code's documentation says", async () => {
  const own = (fields: object) => printing({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
  const answers = await Promise.all([
    fired("PreToolUse", { command: `grep -q '"file_path":"/tree/.env"' && echo 'not the .env' >&2 && exit 2` }),
    fired("PreToolUse", own({ permissionDecision: "deny", permissionDecisionReason: "no" })),
    fired("PreToolUse", own({ permissionDecision: "allow" })),
    fired("PreToolUse", printing({ decision: "block", reason: "the old way" })),
    fired("PostToolUse", { command: "echo 'two lint errors' >&2; exit 2" }),
    fired("PostToolUse", { command: "echo 'of no interest'" }),
    fired("Stop", printing({ decision: "block", reason: "run the tests" })),
    fired("Stop", printing({ continue: false, stopReason: "enough" })),
    fired("SessionStart", { command: "echo 'use pnpm'" }),
  ]);
  expect(answers.map(({ answer }) => said(answer))).toEqual([
    { ...nothing, decision: "deny", reason: "not the .env" },
    { ...nothing, decision: "deny", reason: "no" },
    { ...nothing, decision: "allow", reason: "it gave no reason" },
    { ...nothing, decision: "deny", reason: "the old way" },
    { ...nothing, context: "two lint errors" },
    nothing,
    { ...nothing, decision: "deny", reason: "run the tests" },
    { ...nothing, end: "enough" },
    { ...nothing, context: "use pnpm" },
  ]);
});

test("a no wins over a question and a yes, contexts keep their order, and one command of two groups runs once", async () => {
  const own = (permissionDecision: string, additionalContext: string) =>
    printing({
      hookSpecificOutput: { permissionDecision, permissionDecisionReason: permissionDecision, additionalContext },
    });
  const log = { command: "cat > /dev/null; echo ran >> $PLACE/log" };
  const { answer } = await fired("PreToolUse", own("allow", "1"), own("deny", "2"), own("ask", "3"), log, log);
  expect([said(answer), answer.runs.map(({ outcome }) => outcome)]).toEqual([
    { decision: "deny", reason: "deny", context: "1\n\n2\n\n3", end: null },
    ["ok", "blocked", "ok", "ok"],
  ]);
  expect(readFileSync(join(place, "log"), "utf8")).toBe("ran\n");
});

test("what cannot be understood or run decides nothing, and the person is told", async () => {
  const { answer, notes } = await fired(
    "PreToolUse",
    { command: "echo '{not json'" },
    { command: "echo 'disk full' >&2; exit 1" },
    { command: "sleep 60", timeout: 0.05 },
    { command: "/nowhere/at/all", args: ["x"] },
  );
  expect([said(answer), answer.runs.map(({ outcome }) => outcome)]).toEqual([
    nothing,
    ["ok", "error", "timed-out", "not-started"],
  ]);
  expect(notes.toSorted()).toEqual([
    expect.stringMatching(/^hook PreToolUse \(\/nowhere\/at\/all x\): it could not be started/),
    "hook PreToolUse (echo 'disk full' >&2; exit 1): it ended with code 1: disk full",
    "hook PreToolUse (echo '{not json'): what it printed looks like JSON and is none of the form that hooks answer in: it was not used",
    "hook PreToolUse (sleep 60): it was ended after 0.05 s, and what it had to say is not known",
  ]);
});

test("H12 an abort ends a hook that runs, with what it started, and one in the background when the run is over", async () => {
  writeFileSync(join(place, "pids"), "");
  const { hooks } = hooksOf(
    "PreToolUse",
    { command: "sleep 61 & echo $! >> $PLACE/pids; wait" },
    { command: "echo $$ >> $PLACE/pids; exec sleep 62", async: true },
  );
  const abort = new AbortController();
  const firing = hooks.fire({ event: "PreToolUse", names: null, payload: {}, cwd: place }, abort.signal);
  const pids = () => readFileSync(join(place, "pids"), "utf8").trim().split("\n").filter(Boolean).map(Number);
  while (pids().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  abort.abort();
  const { runs } = await firing;
  await hooks.close();
  const lives = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  while (pids().some(lives)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(runs.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
});

test.each<[string, readonly [string, ...string[]], boolean]>([
  ["", ["Bash"], true],
  ["*", ["Bash"], true],
  ["Edit|Write", ["Write"], true],
  ["Edit|Write", ["MultiEdit", "Edit", "edit_file"], true],
  ["Edit, Write", ["Write"], true],
  ["Edit", ["NotebookEdit"], false],
  ["Notebook.*", ["NotebookEdit"], true],
  ["^Bash$", ["Bash"], true],
  ["mcp__lab", ["mcp__lab__look"], false],
  ["mcp__.*", ["mcp__lab__look"], true],
  ["(", ["Bash"], true],
])("the matcher %j and %j: %s", (matcher, names, matching) => {
  expect(matches(matcher, names)).toBe(matching);
});

test.each<[string, string, boolean]>([
  ["Bash(rm *)", "rm -rf build", true],
  ["Bash(rm *)", "ls", false],
  ["Bash(rm *)", "rmdir x", false],
  ["Bash(rm *)", "cd x && rm y", true],
  ["Bash(rm *)", "A=1 rm y", true],
  ["Bash(git push:*)", "git push", true],
  // A guard that another spelling gets around guards nothing.
  ["Bash(git push *)", "git  push origin", true],
  ["Bash(git push *)", "git\tpush", true],
  ["Bash(git push *)", "g=git; $g push", true],
  ["Bash(git push *)", "/usr/bin/git push", true],
  ["Bash(git push *)", "2>/dev/null git push", true],
  ["Bash(git push *)", "! git push", true],
  ["Bash(git push *)", "if git push; then :; fi", true],
  ["Bash(git push *)", "timeout 5 git push", true],
  ["Bash(git push *)", "git -C . push", true],
  ["Bash(git push:*)", "sudo git push -f", true],
  ["Bash(git push *)", "git log --oneline", false],
  ["Bash(git push *)", "echo push; git status", false],
  // What cannot be told may be anything.
  ["Bash(rm *)", 'eval "$(cat x)"', true],
  ["Edit(*.ts)", "ls", false],
])("the condition %s and the command %j: %s", (condition, command, covering) => {
  expect(mayCover(condition, { names: ["Bash", "bash"], command, path: null })).toBe(covering);
});

test("H24 a field that is of another form than hooks answer in takes no decision away, and is named", async () => {
  const say = (json: unknown) => ({ command: `echo '${JSON.stringify(json)}'` });
  const denial = { permissionDecision: "deny", permissionDecisionReason: null, hookEventName: "PreToolUse" };
  const denied = await fired("PreToolUse", say({ hookSpecificOutput: denial }));
  const old = await fired("PreToolUse", say({ decision: "block", reason: ["x"] }));
  const meant = await fired("PreToolUse", say({ decision: "deny", reason: "no" }));
  const odd = await fired("PreToolUse", say({ continue: "false" }));
  expect([denied, old, meant, odd].map(({ answer }) => answer.decision)).toEqual(["deny", "deny", "deny", null]);
  expect([denied, old, meant, odd].map(({ notes }) => notes.length)).toEqual([0, 1, 0, 1]);
  expect(odd.notes[0]).toContain('"continue" is none of the form that hooks answer in: it was not used');
});

test("one group that is none leaves the others, and a command that is waited for somewhere is waited for", async () => {
  const guard = { type: "command", command: "echo no >&2; exit 2" };
  const list = readHooks({ PreToolUse: [{ matcher: 7, hooks: [] }, { hooks: [guard] }] }, "f");
  expect([list.commands.length, list.notes]).toEqual([
    1,
    ["f: hooks.PreToolUse[0]: it is not of the form {matcher, hooks}, and is left out"],
  ]);
  const { answer } = await fired("PreToolUse", guard, { ...guard, async: true });
  expect(answer.decision).toBe("deny");
});

test("what a settings file has and cannot be run here is left out and named", () => {
  const list = readHooks(
    {
      Stop: [{ hooks: [{ type: "prompt", prompt: "x" }, { type: "command", command: "true" }, { type: "command" }] }],
      WorktreeCreate: [],
      PreToolUse: "x",
    },
    "settings.json",
  );
  expect([list.commands.map(({ command }) => command), list.notes.map((note) => note.slice(0, 80))]).toEqual([
    ["true"],
    [
      'settings.json: hooks.Stop: a hook of type "prompt" is left out: only commands ar',
      "settings.json: hooks.Stop: a hook without a sound command is left out",
      "settings.json: hooks.WorktreeCreate: this event does not happen here, and is lef",
      "settings.json: hooks.PreToolUse: it is no list of {matcher, hooks}, and is left ",
    ],
  ]);
});
