// A run's file of an earlier version, which lacks what came later, is still one that the run goes on from.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { simHost } from "../testing/sim/host.ts";
import { readRunFile, withRunFile } from "./run-file.ts";
import { runDirectories } from "./state-directory.ts";

const earlier = {
  version: 1,
  directory: "/project",
  task: "do it",
  next: null,
  model: "script:/s.yaml",
  base_urls: [],
  budget_usd: null,
  requests: null,
  minutes: null,
  requests_per_minute: null,
  record: null,
  turns: 7,
  parallel: null,
  children_at_once: null,
  children: null,
  depth: null,
  child_minutes: null,
  child_budget_usd: null,
  child_turns: null,
  stagger: null,
  context_tokens: null,
};

test("tools and contexts of children are unset in an earlier file, and kept in a newer one", async () => {
  const host = simHost({ seed: 1 });
  const directories = runDirectories("/run");
  const read = async (file: object) => {
    unwrap(await host.files.makeDirectory("/run"), "directory");
    unwrap(await host.files.write("/run/run.json", Buffer.from(JSON.stringify(file))), "file");
    const known = await readRunFile(host.files, directories);
    if (known === null) return null;
    const { turnsMax, tools, childContexts } = withRunFile({ flags: {}, limits: {} }, known).limits;
    return { turnsMax, tools, childContexts };
  };
  expect([
    await host.run(read(earlier)),
    await host.run(read({ ...earlier, tools: ["grep"], child_contexts: ["task-only"] })),
    await host.run(read({ ...earlier, tools: "grep" })),
  ]).toEqual([
    { turnsMax: 7, tools: undefined, childContexts: undefined },
    { turnsMax: 7, tools: ["grep"], childContexts: ["task-only"] },
    null,
  ]);
});
