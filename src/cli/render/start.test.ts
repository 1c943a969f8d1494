// What stands on the screen before anything is sent.

import { expect, test } from "vitest";
import type { RoleModel } from "../../app/role-models.ts";
import type { SwarmStart } from "../../app/swarm-types.ts";
import { asRunId } from "../../base/ids.ts";
import { startLines } from "./start.ts";

const own = { kind: "user", path: "/home/u/.config/skein/config.json" } as const;
const byDefault = { kind: "default" } as const;
const planner: RoleModel = {
  role: "planner",
  model: { kind: "script", name: "anthropic/claude-opus-4-6", file: "" },
  origin: { kind: "flag", flag: "--planner" },
  elsewhere: null,
  title: "anthropic/claude-opus-4-6",
  scripted: false,
  price: { inputUsdPerMtok: 5, cachedUsdPerMtok: 0.5, outputUsdPerMtok: 25, tiers: [] },
  outputTokensMax: null,
  contextTokens: null,
};
const worker: RoleModel = {
  ...planner,
  role: "worker",
  origin: own,
  title: "openai-compatible/qwen\u001b[2J",
  elsewhere: { value: "http://127.0.0.1:8080/v1", origin: { kind: "flag", flag: "--base-url" } },
  price: null,
};
const start: SwarmStart = {
  runId: asRunId("20261129-230501-ab3d"),
  info: {
    root: "/src/tool",
    gitDir: "/src/tool/.git",
    bare: false,
    branch: "main",
    headCommit: "0123456789abcdef0123456789abcdef01234567",
    headTree: "1".repeat(40),
    objectFormat: "sha1",
    dirty: true,
    dirtyPaths: 1,
  },
  resumed: false,
  roles: [planner, worker, { ...worker, role: "arbiter" }],
  limits: {
    budgetUsd: { value: 5, origin: { kind: "flag", flag: "--budget" } },
    requests: { value: 5_000, origin: byDefault },
    tasks: { value: 20, origin: own },
    depth: { value: 1, origin: byDefault },
    minutes: { value: 30, origin: { kind: "project", path: "/src/tool/skein.config.json" } },
    workers: { value: 4, origin: byDefault },
  },
  requestsPerMinute: 50,
  record: "/traffic",
  check: { value: "npm test", origin: { kind: "project", path: "/src/tool/skein.config.json" } },
  notes: ["limits.budgetUsd: the smaller holds"],
  sandbox: { kind: "none", reason: "bubblewrap (bwrap) is not installed", remedy: "install bubblewrap" },
};

test("run, repository, models with who named them and what they cost, limits, check, and why there is no sandbox", () => {
  expect(startLines(start)).toMatchInlineSnapshot(`
    [
      "run 20261129-230501-ab3d on /src/tool at 0123456789ab (main)",
      "1 uncommitted path is left alone: the run goes on from HEAD",
      "model of planners: anthropic/claude-opus-4-6, $5 in, $25 out per million tokens, from --planner",
      "model of workers, arbiters: openai-compatible/qwen�[2J at http://127.0.0.1:8080/v1 (--base-url), price unavailable, from /home/u/.config/skein/config.json",
      "budget: $5.00 (--budget); limits: 5000 requests, 20 tasks (/home/u/.config/skein/config.json), 1 level of planners, 30 min (/src/tool/skein.config.json), 4 workers at once, 50 requests a minute (--requests-per-minute)",
      "check: npm test (/src/tool/skein.config.json)",
      "traffic with the models is kept, without keys, in /traffic",
      "note: limits.budgetUsd: the smaller holds",
      "shell commands are not sandboxed: bubblewrap (bwrap) is not installed (install bubblewrap)",
    ]
  `);
});

test("a run that goes on, with one model for all roles", () => {
  const roles = [planner, { ...planner, role: "worker" as const }, { ...planner, role: "arbiter" as const }];
  const limits = { ...start.limits, budgetUsd: null, minutes: null };
  const more = {
    resumed: true,
    roles,
    limits,
    requestsPerMinute: null,
    record: null,
    check: null,
    notes: [],
    sandbox: { kind: "free" } as const,
  };
  expect(startLines({ ...start, ...more })).toMatchInlineSnapshot(`
    [
      "run 20261129-230501-ab3d goes on in /src/tool at 0123456789ab (main)",
      "model: anthropic/claude-opus-4-6, $5 in, $25 out per million tokens, from --planner",
      "budget: none; limits: 5000 requests, 20 tasks (/home/u/.config/skein/config.json), 1 level of planners, 4 workers at once",
      "check: none named (--check)",
      "shell commands are not sandboxed, as you wanted: they have your rights, but not your keys",
    ]
  `);
});
