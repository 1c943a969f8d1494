// Children on real files: those that share the tree keep to their rights, those with a copy are merged back, an abort ends their
// commands, and what a run keeps of them is in its files.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import type { ToolCall } from "../model/message.ts";
import type { ModelRequest } from "../model/provider.ts";
import { type DelegatingRun, runDelegating } from "../testing/agent/delegating-run.ts";
import { type Answered, delegate, done, parentOf, resultsOf } from "../testing/agent/family-rig.ts";
import { call } from "../testing/agent/rig.ts";

const path = process.env.PATH ?? "/usr/bin:/bin";
let at: string;
let root: string;
let run: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(join(tmpdir(), "skein-delegation-")));
  root = join(at, "root");
  run = join(at, "run");
  mkdirSync(root);
});
afterEach(() => rmSync(at, { recursive: true, force: true, maxRetries: 5 }));

const sh = (script: string) => execFileSync("sh", ["-ec", script], { cwd: root, stdio: "pipe" }).toString();
const show = (name: string) => readFileSync(join(root, name), "utf8");
const linesOf = (name: string): Record<string, unknown>[] =>
  readFileSync(join(run, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

function started(options: Pick<DelegatingRun, "answering"> & Partial<DelegatingRun>) {
  return runDelegating({ host: nodeHost(), root, run, path, rgPath, ...options });
}

/** A child that makes these calls, one answer after another, and then says the texts of the last results. */
function steps(...answers: readonly (readonly ToolCall[])[]) {
  return ({ context, messages }: ModelRequest): Answered => {
    const calls = answers[context.turn - 1];
    if (calls !== undefined) return { calls };
    const last = messages.at(-1);
    return { say: last?.role === "tool" ? last.results.map(({ text }) => text).join(" | ") : "nothing" };
  };
}

const write = (name: string, content: string) => call(`w-${name}`, "write_file", { path: name, content });
const bash = (command: string) => call("b", "bash", { command });
const apart = (id: string, task: string) => delegate(id, task, { isolation: "workspace" });

test("copies of the tree as it stands, with what is not committed, are merged back in order; overlaps come back as conflicts", async () => {
  sh(
    "git init -q; printf 'out/\\n' > .gitignore; for n in 1 2 3 4 5 6 7 8 9; do echo line $n; done > text; git add .; git -c user.name=t -c user.email=t@t commit -qm one; echo new > uncommitted; mkdir out; echo o > out/o",
  );
  const sed = (from: string, to: string) =>
    bash(`sed -i 's/${from}/${to}/' text; cat uncommitted; ls out 2>&1; git status --short; git log --oneline | wc -l`);
  const children: Record<string, (request: ModelRequest) => Answered> = {
    top: steps([sed("line 1", "first 1"), write("a.txt", "a")], [call("s", "bash", { command: "sleep 0.3" })]),
    bottom: steps([sed("line 9", "second 9")]),
    clash: steps([sed("line 1", "third 1"), write("c.txt", "c")]),
  };
  const result = await started({
    answering: parentOf(
      Object.keys(children).map((task) => apart(task, task)),
      (task, request) => children[task]?.(request) ?? { say: "?" },
    ),
  });
  const [top, bottom, clash] = resultsOf(result).map(([text]) => text);
  const outputs = join(run, "agents", "a0.outputs", "a3");
  const copy = join(run, "workspaces", "a3", "tree");
  expect({
    top: top?.split("\n\n").at(-1),
    bottom: bottom?.split("\n\n").slice(1),
    clash: clash?.split("\n\n").at(-1),
    text: show("text"),
    files: readdirSync(root).sort(),
    theirs: readFileSync(join(outputs, "theirs", "text"), "utf8").split("\n")[0],
    base: readFileSync(join(outputs, "base", "text"), "utf8").split("\n")[0],
    kept: readdirSync(join(run, "workspaces")).filter((name) => /^a\d$/.test(name)),
  }).toEqual({
    top: "Its changes are in your tree: a.txt, text.",
    bottom: [
      "new\nls: cannot access 'out': No such file or directory\n M text\n1\n[exit code 0]",
      "Its changes are in your tree: text.\nLines were merged with other changes in: text.",
    ],
    clash: [
      "Its changes are in your tree: c.txt.",
      "Conflicts: these were changed on both sides, and stand in your tree as they were there. Nothing was overwritten.",
      `- text: both sides changed the same lines; the child's version: ${outputs}/theirs/text; what it began from: ${outputs}/base/text`,
      "Bring them together yourself.",
      `The child's whole copy is kept in ${copy}`,
    ].join("\n"),
    text: "first 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nsecond 9\n",
    files: [".git", ".gitignore", "a.txt", "c.txt", "out", "text", "uncommitted"],
    theirs: "third 1",
    base: "line 1",
    kept: ["a3"],
  });
});

test("children in the shared tree read it, write only their scope and run nothing", async () => {
  sh("mkdir src; echo a > src/a; echo b > b");
  const tries = [
    write("src/new", "n"),
    write("b", "x"),
    write("src/../b", "x"),
    bash("touch ran"),
    call("r", "read_file", { path: "b" }),
  ];
  const result = await started({
    answering: parentOf(
      [delegate("c0", "reads"), delegate("c1", "writes", { write_scope: ["./src/"] })],
      (_task, request) => steps(tries)(request),
    ),
  });
  const reading =
    "not run: write_file is not for you: you may read the tree and change nothing in it. Say in your result what should be changed";
  const shell =
    "not run: bash is not for you: you share the tree with other agents. Say in your result what should be run";
  const outside = 'a path with ".." is not accepted; give it relative to the root of the tree';
  expect({ results: resultsOf(result), tree: sh("find . -type f | sort"), b: show("b") }).toEqual({
    results: [
      done("a1", [reading, reading, reading, shell, "    1\tb"].join(" | ")),
      done(
        "a2",
        [
          "created src/new (1 line)",
          '"b" is not yours to change: you may change src',
          `"src/../b": ${outside}`,
          shell,
          "    1\tb",
        ].join(" | "),
      ),
    ],
    tree: "./b\n./src/a\n./src/new\n",
    b: "b\n",
  });
});

test("H12 H15 an aborted parent leaves no process of its children a second later, and the result says aborted", async () => {
  const mark = `75.${Math.floor(performance.now() * 1_000)}`;
  const abort = new AbortController();
  const running = started({
    abort,
    answering: parentOf([apart("c0", "sleep"), apart("c1", "sleep")], (_task, request) =>
      steps([bash(`sleep ${mark} & sleep ${mark}; echo end`)])(request),
    ),
  });
  const sleepers = () =>
    execFileSync("ps", ["-eo", "args"])
      .toString()
      .split("\n")
      .filter((line) => line === `sleep ${mark}`).length;
  while (sleepers() < 4) await delay(20);
  abort.abort();
  await delay(1_000);
  const left = sleepers();
  const result = await running;
  const results = readFileSync(join(run, "agents", "a1.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"result"'));
  expect({
    left,
    kind: result.kind,
    results: resultsOf(result),
    child: results.map((line) => JSON.parse(line).outcome),
  }).toEqual({
    left: 0,
    kind: "cancelled",
    results: ["a1", "a2"].map((child) => [`child ${child} was cancelled: it was aborted before it was done`, true]),
    child: ["cancelled"],
  });
  expect(JSON.parse(results[0] ?? "").text).toContain("aborted");
});

test("what a run keeps of its children: one line each, transcripts with parent and call, no workspace where all is merged", async () => {
  const result = await started({
    answering: parentOf([delegate("c0", "x"), apart("c1", "y"), delegate("c2", "z", { model: "none" })], () => ({
      say: "ok",
    })),
  });
  const [first] = linesOf("agents/a2.jsonl");
  const numbers = {
    queued_at_ms: expect.any(Number),
    started_at_ms: expect.any(Number),
    ended_at_ms: expect.any(Number),
  };
  expect({
    results: resultsOf(result).map(([text]) => text.split("\n\n").slice(1)),
    delegations: linesOf("delegations.jsonl").sort((a, b) => Number(a.seq) - Number(b.seq)),
    keys: Object.keys(linesOf("delegations.jsonl")[0] ?? {}),
    children: linesOf("children.jsonl")
      .map(({ type, child }) => [type, child])
      .sort(),
    first: [first?.type, first?.agent, first?.parent, first?.role],
    workspaces: readdirSync(join(run, "workspaces")).filter((name) => name.startsWith("a")),
  }).toEqual({
    results: [["ok"], ["ok", "It changed no file."], []],
    delegations: [
      { seq: 1, call_id: "c0", child_id: "a1", parent_id: "a0", concurrent: 1, ...numbers, outcome: "done" },
      { seq: 2, call_id: "c1", child_id: "a2", parent_id: "a0", concurrent: 2, ...numbers, outcome: "done" },
      {
        seq: 3,
        call_id: "c2",
        child_id: null,
        parent_id: "a0",
        concurrent: "unavailable",
        ...numbers,
        started_at_ms: "unavailable",
        outcome: "refused",
      },
    ],
    keys: [
      "seq",
      "call_id",
      "child_id",
      "parent_id",
      "concurrent",
      "queued_at_ms",
      "started_at_ms",
      "ended_at_ms",
      "outcome",
    ],
    children: [
      ["asked", "a1"],
      ["asked", "a2"],
      ["begun", "a1"],
      ["begun", "a2"],
      ["refused", undefined],
      ["told", "a1"],
      ["told", "a2"],
    ],
    first: ["start", "a2", "a0", "child"],
    workspaces: [],
  });
});

test("a copy of a part of a repository follows the ignore rules above it, and has what git tracks though it is ignored", async () => {
  sh(
    "git init -q; printf 'node_modules/\\nlib\\n' > .gitignore; mkdir -p pkg/node_modules pkg/lib; echo m > pkg/node_modules/m; echo l > pkg/lib/l; git add -f pkg/lib/l; git -c user.name=t -c user.email=t@t commit -qm one",
  );
  const result = await started({
    root: join(root, "pkg"),
    answering: parentOf([apart("c0", "x")], (_task, request) =>
      steps([call("g", "bash", { command: "find . -path ./.git -prune -o -type f -print" })])(request),
    ),
  });
  expect(resultsOf(result)).toEqual([done("a1", "./lib/l\n[exit code 0]\n\nIt changed no file.")]);
  expect(existsSync(join(root, "pkg", ".git"))).toBe(false);
});
