// What a worker's "done" rests on, in a real workspace with real check commands.

import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asAgentId, asFence, asPosition, asTaskId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import { err, ok, unwrap } from "../../base/result.ts";
import type { HostAsk, Job } from "../../protocol/messages.ts";
import { made, put, type Tree } from "../../testing/git/made-workspace.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { openGitBases } from "../../vcs/workspace/git-bases.ts";
import { checkedWork } from "./checked-work.ts";
import { CoordinatorClient } from "./client.ts";
import type { HostEnvironment } from "./environment.ts";
import { Gate } from "./gate.ts";
import { keyMaker } from "./keys.ts";
import { Workbench } from "./workbench.ts";

const host = nodeHost();
const path = process.env.PATH ?? "";
const lease = { task: asTaskId("t1"), agent: asAgentId("a1"), fence: asFence(1) };
const report = { status: "done", summary: "Built it.", concerns: [], deviations: [], findings: [] } as const;

/** A worker's bench on a tree, with a coordinator that lands whatever it is given. */
async function open(at: string, tree: Tree, check: string | null, commandsPath = path) {
  const bases = openGitBases({ files: host.files, git: { processes: host.processes, path }, directory: join(at, "b") });
  const { workspace, run, options } = await made(at, tree, { git: { kind: "base", bases } });
  const client = new CoordinatorClient({
    async ask(body, parser) {
      const ask = body as HostAsk;
      const value = ask.kind === "tree" ? { entries: [] } : { kind: "landed", position: 2, merged: [] };
      return ok(unwrap(parse(parser, value, "answer"), "answer"));
    },
    notify: () => undefined,
    close: () => undefined,
  });
  const environment: HostEnvironment = {
    host,
    client,
    cache: options.cache,
    bases,
    overlays: null,
    hold: new AbortController().signal,
    providers: async () => err("none"),
    checks: new Gate(1),
    making: new Gate(1),
    directories: { workspaces: at, agents: join(at, "agents"), blobs: join(at, "cache") },
    rgPath: "rg",
    shellEnvironment: { PATH: commandsPath },
    workspaceGit: true,
    checksAtOnce: 1,
    checkMsMax: 10_000,
    ignoreTexts: [],
  };
  const job: Job = {
    lease,
    role: "worker",
    keys: ["t1"],
    model: "m",
    snapshot: asPosition(1),
    system: "",
    prompt: "do it",
    resume: "new",
    wakes: false,
    answeredTurn: 0,
    outputTokensMax: 1_000,
    check,
    conflict: null,
    answersRefused: 0,
    turnsMax: 10,
  };
  const bench = new Workbench({ client, lease, workspace, nextKey: keyMaker(lease) });
  const signal = new AbortController().signal;
  const handoff = () =>
    checkedWork(environment, { job, signal }, bench, { report, message: "", outsideScopeReason: null });
  return { bench, run, handoff };
}

/** The changes that would land, or what the agent is told. */
const outcome = (answer: Awaited<ReturnType<typeof checkedWork>>) =>
  answer.ok
    ? { summary: answer.value.report.summary, changes: answer.value.work?.changes ?? null }
    : "text" in answer.error
      ? answer.error.text
      : answer.error;

test("S31 what a check changes is told, and lands only after a check that passed on it", async () => {
  using directory = temporaryDirectory();
  const check = "grep -q formatted f.txt || echo formatted >> f.txt; echo made > gen.txt; echo log > out.log";
  const { run, handoff } = await open(directory.path, { "f.txt": "1\n", ".gitignore": "*.log\n" }, check);
  run("echo 2 >> f.txt");
  const first = outcome(await handoff());
  expect([first, outcome(await handoff())]).toEqual([
    expect.stringMatching(/^the task's check passes, but it changed these files: f\.txt, gen\.txt\. /),
    { summary: "Built it.", changes: [put("f.txt", "1\n2\nformatted\n"), put("gen.txt", "made\n")] },
  ]);
});

test("a check that takes the change back, or fails and leaves files, is told as such", async () => {
  using directory = temporaryDirectory();
  const { run, handoff } = await open(
    directory.path,
    { "f.txt": "1\n" },
    "git checkout -q f.txt; test -e ok || echo x > left",
  );
  run("echo 2 > f.txt");
  const undone = outcome(await handoff());
  run("rm left; echo 3 > f.txt; touch ok");
  const again = outcome(await handoff());
  expect([undone, again]).toEqual([
    expect.stringContaining("it changed these files: f.txt, left."),
    expect.stringContaining("it changed these files: f.txt."),
  ]);
});

test("a failing check names what it changed too", async () => {
  using directory = temporaryDirectory();
  const { handoff } = await open(directory.path, { "f.txt": "1\n" }, "echo x > left; echo no; exit 3");
  expect(outcome(await handoff())).toMatch(/^the task's check fails.*exit 3\n.*no\n.*changed while it ran: left$/s);
});

test("S8 S15 done without any change needs a check; with a passing one it is done already", async () => {
  using directory = temporaryDirectory();
  const without = await open(join(directory.path, "1"), { "f.txt": "1\n" }, null);
  const refused = outcome(await without.handoff());
  without.run("echo 2 > f.txt");
  const changed = outcome(await without.handoff());
  const work = unwrap(await without.bench.collect("step", null), "work");
  if (work !== null) await without.bench.land(work);
  const committed = outcome(await without.handoff());
  const passing = await open(join(directory.path, "2"), { "f.txt": "1\n" }, "grep -q 1 f.txt");
  expect([refused, changed, committed, outcome(await passing.handoff())]).toEqual([
    expect.stringMatching(/^nothing was changed and no check says that it is done\./),
    { summary: "Built it.", changes: [put("f.txt", "2\n")] },
    { summary: "Built it.", changes: null },
    {
      summary: "Already done: nothing was changed, and the check passes on what was there. Built it.",
      changes: null,
    },
  ]);
});

test("S29 a check finds the tree with git: what the agent added is untracked, the rest is listed", async () => {
  using directory = temporaryDirectory();
  const check = 'test "$(git ls-files)" = f.txt && test "$(git status --porcelain)" = "?? n.txt" && git log -1 -q';
  const { run, handoff } = await open(directory.path, { "f.txt": "1\n" }, check);
  run("echo n > n.txt");
  expect(outcome(await handoff())).toEqual({ summary: "Built it.", changes: [put("n.txt", "n\n")] });
});

test("H21 a check that no shell could be started for is a fault of the environment, not of the work", async () => {
  using directory = temporaryDirectory();
  const { run, handoff } = await open(directory.path, { "f.txt": "1\n" }, "true", join(directory.path, "empty"));
  run("echo 2 > f.txt");
  const answer = await handoff();
  expect(answer).toEqual(
    err({
      kind: "fault",
      text: "the task's check could not be run: true\nenvironment fault: bash could not be started (the program bash was not found). This is not a fault of your call; trying again will not help.",
    }),
  );
});
