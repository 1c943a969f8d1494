// `skein run` with children, over a real protocol: a provider's error in a child, and who is told what.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { KEY, serveRules } from "../support/provider.ts";
import { sandbox } from "../support/sandbox.ts";
import { type Call, call, type Rule } from "../support/script.ts";
import { lastJson, skein } from "../support/skein.ts";

const ask = (task: string): Call => call("delegate_task", { task });

test("H16 H22 a provider's error in a child is its text in the parent's result, and the siblings' results stand", async () => {
  using box = sandbox();
  const rules: readonly Rule[] = [
    { role: "solo", turn: 1, calls: [ask("One"), ask("Two"), ask("Three")] },
    { role: "child", task: "a2", error: { code: "quota", message: "Your plan is used up." } },
    { role: "child", say: "fine" },
    { role: "solo", turn: 2, last: "fine[^]*Your plan is used up[^]*fine", say: "Two failed." },
  ];
  await using server = await serveRules(rules);
  const directory = join(box.root, "work");
  mkdirSync(directory);
  const model = ["--model", "anthropic/test-model", "--base-url", server.url];
  const ended = await skein(box, {
    args: ["run", "Ask the children", "--output", "stream-json", ...model],
    cwd: directory,
    env: { ANTHROPIC_API_KEY: KEY },
  });
  const json = lastJson(ended);
  expect([ended.exitCode, json.text], ended.stderr).toEqual([0, "Two failed."]);
  const events = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const requests = events.filter(({ type }) => type === "request_ended");
  expect(requests.map(({ agent, parent, outcome }) => [agent, parent, outcome]).toSorted()).toEqual([
    ["a0", null, "calls"],
    ["a0", null, "end"],
    ["a1", "a0", "end"],
    ["a2", "a0", "error"],
    ["a3", "a0", "end"],
  ]);
  const ofChildren = events.filter(({ type }) => /^child_(?:started|ended)$/.test(type));
  expect(ofChildren.map(({ type, agent, parent }) => [type, agent, parent]).toSorted()).toEqual([
    ["child_ended", "a1", "a0"],
    ["child_ended", "a2", "a0"],
    ["child_ended", "a3", "a0"],
    ["child_started", "a1", "a0"],
    ["child_started", "a2", "a0"],
    ["child_started", "a3", "a0"],
  ]);
  expect(ended.stderr).toMatch(/✗ a2 Two failed: .*Your plan is used up/);
  const records = readFileSync(join(dirname(dirname(String(json.transcript))), "delegations.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.map(({ child_id, outcome }) => [child_id, outcome]).toSorted()).toEqual([
    ["a1", "done"],
    ["a2", "failed"],
    ["a3", "done"],
  ]);
});
