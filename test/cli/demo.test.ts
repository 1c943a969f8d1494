// `skein demo --json`, once, from the bundle: what it says is compared with what git, the project's own tests, the script and
// the transcripts say.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { git } from "../../src/testing/git/real-repository.ts";
import { processesIn, type Sandbox, sandbox } from "../support/sandbox.ts";
import { type Ended, lastJson, packageRoot, skein } from "../support/skein.ts";
import { readStore, type StoreView } from "../support/store.ts";

const wholeMs = 120_000;
const workerKeys = [
  "tokenize",
  "power",
  "modulo",
  "evaluate",
  "format",
  "parse",
  "docs",
  "cli",
  "rounding",
  "aggregates",
];
const scriptPath = join(packageRoot, "assets", "demo", "script.yaml");

let box: Sandbox;
let ended: Ended;
let json: Record<string, unknown>;
let store: StoreView;
let repository: string;
let range: string;

beforeAll(async () => {
  box = sandbox();
  ended = await skein(box, { args: ["demo", "--json"] });
  json = lastJson(ended);
  repository = String(json.repo);
  range = `${json.base}..${json.branch}`;
  store = await readStore(String(json.store));
}, wholeMs);

afterAll(() => box[Symbol.dispose]());

test("it ends with 0 and one line of JSON", () => {
  expect(ended.exitCode).toBe(0);
  expect(ended.stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(json).toEqual({
    runId: expect.stringMatching(/^\d{8}-\d{6}-[a-z0-9]{4}$/),
    state: "finished",
    reason: "the goal's planner handed off",
    repo: expect.stringContaining(box.temporary),
    branch: `skein/${json.runId}`,
    exportError: null,
    base: git(repository, ["rev-parse", "main"]),
    check: "node --test",
    checkPassed: true,
    tasks: { done: 10, failed: 0, dropped: 0, open: 0 },
    commits: Number(git(repository, ["rev-list", "--count", range])),
    merges: expect.any(Number),
    conflicts: { found: 1, resolved: 1 },
    openConflicts: [],
    discarded: [],
    wallMs: expect.any(Number),
    roles: { planner: bill(), worker: bill(), arbiter: bill() },
    budgetUsd: null,
    spentUsd: expect.any(Number),
    knownUsd: json.spentUsd,
    assumedUsd: 0,
    requestsAssumed: 0,
    requests: { made: expect.any(Number), failed: 0, untold: 0, attempts: expect.any(Number) },
    model: `script:${scriptPath}`,
    scripted: true,
    label: "scripted model",
    store: expect.stringContaining(box.state),
    next: null,
    resume: null,
  });
  expect(json.merges).toBeGreaterThanOrEqual(1);
});

function bill(): object {
  const number = expect.any(Number);
  return {
    requests: number,
    requestsFailed: 0,
    attempts: number,
    requestsIncomplete: 0,
    inputTokens: number,
    cachedTokens: number,
    outputTokens: number,
    costUsd: number,
  };
}

describe("the branch", () => {
  test("has every task that landed in a trailer that git reads", () => {
    const format = "%(trailers:key=Skein-Task,valueonly,separator=%x2C) %(trailers:key=Skein-Key,valueonly)";
    const log = git(repository, ["log", `--format=${format}`, range])
      .split("\n")
      .filter((line) => line !== "");
    expect(log.filter((line) => !/^t\d+ \S+$/.test(line))).toEqual([]);
    const keys = new Set(log.map((line) => line.split(" ")[1] ?? ""));
    expect(workerKeys.filter((key) => !keys.has(key))).toEqual([]);

    const workers = new Set(
      store
        .all("task_added")
        .filter((task) => task.kind === "work")
        .map(({ task }) => task),
    );
    const done = store
      .all("task_done")
      .map(({ task }) => task)
      .filter((task) => workers.has(task));
    const ids = new Set(log.map((line) => line.split(" ")[0] ?? ""));
    expect(done.length).toBe(10);
    expect(done.filter((task) => !ids.has(task))).toEqual([]);
  });

  test("has the trailers also for `git interpret-trailers`, with agent, model and position", () => {
    for (const commit of git(repository, ["rev-list", range]).split("\n")) {
      const message = git(repository, ["show", "--no-patch", "--format=%B", commit]);
      const trailers = git(repository, ["interpret-trailers", "--parse"], { input: message }).split("\n");
      const names = trailers.map((line) => line.split(":")[0]);
      expect(names).toEqual(
        expect.arrayContaining(["Skein-Task", "Skein-Key", "Skein-Agent", "Skein-Model", "Skein-Position"]),
      );
    }
  });

  test("passes the project's own test command, which the base fails", { timeout: wholeMs }, () => {
    const clone = join(box.root, "clone");
    git(box.root, ["clone", "--quiet", repository, clone]);
    const codes = [String(json.base), `origin/${json.branch}`].map((commit) => {
      git(clone, ["checkout", "--quiet", "--detach", commit]);
      return spawnSync(process.execPath, ["--test"], { cwd: clone, env: box.env, stdio: "ignore" }).status;
    });
    expect(codes).toEqual([1, 0]);
  });

  test("leaves a sound repository whose HEAD, index and files are as they were", () => {
    expect({
      head: git(repository, ["symbolic-ref", "HEAD"]),
      commit: git(repository, ["rev-parse", "HEAD"]),
      status: git(repository, ["status", "--porcelain", "--ignored"]),
      refs: git(repository, ["for-each-ref", "--format=%(refname)"]).split("\n"),
      commitsOnMain: git(repository, ["rev-list", "--count", "main"]),
      fsck: execFileSync("git", ["fsck", "--strict", "--no-dangling"], {
        cwd: repository,
        env: box.env,
        encoding: "utf8",
      }),
    }).toEqual({
      head: "refs/heads/main",
      commit: json.base,
      status: "",
      refs: ["refs/heads/main", `refs/heads/${json.branch}`],
      commitsOnMain: "1",
      fsck: "",
    });
  });
});

describe("the bill", () => {
  test("is, by role, the sum over the requests in the transcripts, at the script's prices", () => {
    const sums: Record<string, Record<string, number>> = {};
    for (const { role, usage } of requests()) {
      const { input_tokens: input, cached_tokens: cached, output_tokens: output } = usage;
      const sum = (sums[role] ??= {
        requests: 0,
        requestsFailed: 0,
        attempts: 0,
        requestsIncomplete: 0,
        inputTokens: 0,
        cachedTokens: 0,
        outputTokens: 0,
        costUsd: 0,
      });
      const costUsd = ((input - cached) * 3 + cached * 0.3 + output * 15) / 1e6;
      add(sum, { requests: 1, attempts: 1, inputTokens: input, cachedTokens: cached, outputTokens: output, costUsd });
    }
    for (const sum of Object.values(sums)) sum.costUsd = expect.closeTo(sum.costUsd ?? 0, 9);
    expect(json.roles).toEqual(sums);
  });

  test("has for every request what the script says of that role, task and turn", () => {
    const { rules } = parse(readFileSync(scriptPath, "utf8"));
    const strange = requests().filter(({ role, keys, turn, usage }) => {
      const answers = rules.filter(
        (rule: Record<string, unknown>) =>
          [rule.role].flat().includes(role) &&
          keys.some((key) => [rule.task].flat().includes(key)) &&
          [rule.turn ?? turn].flat().includes(turn),
      );
      const { input_tokens: inputTokens, cached_tokens: cachedTokens, output_tokens: outputTokens } = usage;
      const said = JSON.stringify({ inputTokens, cachedTokens, outputTokens });
      return !answers.some((rule: { usage: object }) => JSON.stringify(rule.usage) === said);
    });
    expect(strange).toEqual([]);
  });
});

function add(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + value;
}

interface AskedRequest {
  readonly role: string;
  readonly keys: readonly string[];
  readonly turn: number;
  readonly usage: { readonly input_tokens: number; readonly cached_tokens: number; readonly output_tokens: number };
}

/** All requests of all transcripts. */
function requests(): readonly AskedRequest[] {
  const keyOf = new Map<string, string>(store.all("task_added").map(({ task, key }) => [task, key]));
  const agents = join(String(json.store), "agents");
  return readdirSync(agents)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => {
      const lines = readFileSync(join(agents, name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const { role, task } = lines.find(({ type }) => type === "start");
      // An arbiter is asked under the keys of both sides.
      const keys = role === "arbiter" ? ["modulo", "power"] : [keyOf.get(task) ?? task];
      return lines.filter(({ type }) => type === "request").map(({ turn, usage }) => ({ role, keys, turn, usage }));
    });
}

describe("the store", () => {
  test("names every transcript with its true size and hash", () => {
    const named = store.all("agent_ended").map(({ agent, transcript }) => ({ agent, transcript }));
    expect(named.length).toBeGreaterThanOrEqual(13);
    const wrong = named.filter(({ transcript }) => {
      if (transcript === null) return true;
      // A planner that was woken has written on: what was named is then the beginning.
      const bytes = readFileSync(transcript.path).subarray(0, transcript.bytes);
      return (
        bytes.byteLength !== transcript.bytes || createHash("sha256").update(bytes).digest("hex") !== transcript.sha256
      );
    });
    expect(wrong).toEqual([]);
    const last = new Map(named.map(({ agent, transcript }) => [`${agent}.jsonl`, transcript?.bytes]));
    const agents = join(String(json.store), "agents");
    const onDisk = readdirSync(agents).filter((name) => name.endsWith(".jsonl"));
    expect(new Map(onDisk.map((name) => [name, readFileSync(join(agents, name)).byteLength]))).toEqual(last);
  });

  test("tells of the branch it made", () => {
    const commit = git(repository, ["rev-parse", String(json.branch)]);
    const made = { branch: json.branch, commit, commits: json.commits };
    // Before the check and after it.
    expect(store.all("exported")).toEqual([
      { ...made, check_passed: null },
      { ...made, check_passed: true },
    ]);
    expect(store.all("run_ended")).toEqual([{ state: "finished", reason: "the goal's planner handed off" }]);
  });
});

test("nothing is left behind: no process, no socket, no workspace", () => {
  expect(processesIn(box)).toEqual([]);
  expect(readdirSync(box.temporary)).toEqual([basename(repository)]);
  expect(readdirSync(join(String(json.store), "workspaces"))).toEqual([]);
  expect(readdirSync(box.home)).toEqual([]);
});

describe("the progress", () => {
  test("says scripted model at its start and in its summary", () => {
    const lines = ended.stderr.split("\n");
    const at = lines.flatMap((line, index) => (line.includes("scripted model") ? [index] : []));
    const first = lines.findIndex((line) => line.startsWith("["));
    const summary = lines.findIndex((line) => line.includes(" finished: "));
    expect(at.some((index) => index < first)).toBe(true);
    expect(at.some((index) => index > summary)).toBe(true);
  });

  test("is plain lines that tell each task's way", () => {
    expect([...ended.stderr].filter((char) => char < " " && char !== "\n")).toEqual([]);
    for (const key of workerKeys) {
      expect(ended.stderr).toMatch(new RegExp(`\\] t\\d+ ${key} running by a\\d+`));
      expect(ended.stderr).toMatch(new RegExp(`\\] t\\d+ ${key} done`));
    }
    expect(ended.stderr).toMatch(/modulo conflicted|power conflicted/);
  });
});
