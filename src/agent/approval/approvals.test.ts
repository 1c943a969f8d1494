// Questions of several agents at once, with agents that really run their calls: who is asked what, in which order, and what each answer
// decides.

import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { freshTree } from "../../testing/tools/tree.ts";
import { editingTools, readOnlyTools } from "../../tools/index.ts";
import type { GatedCall } from "../call-gate.ts";
import { type ApprovalSetup, Approvals } from "./approvals.ts";
import type { Answer, ApprovalEvent, Question } from "./question.ts";
import { parseRule } from "./rule.ts";

const tree = freshTree();

interface Asked {
  readonly question: Question;
  answer(answer: Answer | null): void;
}

/** A person who answers when the test says so. */
function setUp(changes: Partial<ApprovalSetup> = {}) {
  const asked: Asked[] = [];
  const events: ApprovalEvent[] = [];
  let atOnce = 0;
  let atOnceMax = 0;
  const approvals = new Approvals({
    policy: { mode: "ask", sandbox: "held", allow: [], deny: [] },
    person: {
      ask: (question, signal) => {
        atOnce += 1;
        atOnceMax = Math.max(atOnceMax, atOnce);
        const { promise, resolve } = Promise.withResolvers<Answer | null>();
        signal.addEventListener("abort", () => resolve(null), { once: true });
        asked.push({ question, answer: resolve });
        return promise.finally(() => {
          atOnce -= 1;
        });
      },
    },
    clock: tree().env.clock,
    onEvent: (event) => events.push(event),
    ...changes,
  });
  const gate = approvals.gateFor({ root: tree().root, tools: editingTools(tree().env) });
  const before = (agent: string, name: string, input: object, signal = new AbortController().signal) =>
    gate.before(gated(agent, name, input), signal);
  return { asked, events, before, atOnceMax: () => atOnceMax };
}

function gated(agent: string, name: string, input: object): GatedCall {
  return {
    agent: asAgentId(agent),
    parent: agent === "a0" ? null : asAgentId("a0"),
    turn: 1,
    index: 0,
    call: { id: asCallId("c1"), name, arguments: { kind: "parsed", value: input } },
    hook: null,
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 2_000 && !holds(); attempt++) await delay(5);
  expect(holds()).toBe(true);
}

test("H14 three children ask at the same moment: one question at a time, each with its child and call, each with its own answer", async () => {
  const { asked, before, atOnceMax, events } = setUp();
  // The same call id: a provider may give an id again.
  const verdicts = ["a1", "a2", "a3"].map((agent) => before(agent, "bash", { command: `make ${agent}` }));
  await until(() => asked.length === 1 && events.length === 3);
  expect(events.map(({ kind }) => kind)).toEqual(["waiting", "waiting", "waiting"]);
  for (const [index, answer] of (["yes", "no", "yes"] as const).entries()) {
    await until(() => asked.length === index + 1);
    asked[index]?.answer(answer);
  }
  expect((await Promise.all(verdicts)).map(({ kind }) => kind)).toEqual(["go", "refuse", "go"]);
  expect(asked.map(({ question: { number, agent, parent, subject } }) => ({ number, agent, parent, subject }))).toEqual(
    ["a1", "a2", "a3"].map((agent, index) => ({
      number: index + 1,
      agent,
      parent: "a0",
      subject: { kind: "command", command: `make ${agent}`, directory: tree().root },
    })),
  );
  expect(atOnceMax()).toBe(1);
  expect(
    events.slice(3).map((event) => (event.kind === "answered" ? `${event.question.agent} ${event.answer}` : "")),
  ).toEqual(["a1 yes", "a2 no", "a3 yes"]);
});

test("H13 a call that is taken back while it waits is never shown, and the questions behind it come", async () => {
  const { asked, before } = setUp();
  const controller = new AbortController();
  const first = before("a1", "bash", { command: "one" });
  const second = before("a2", "bash", { command: "two" }, controller.signal);
  const third = before("a3", "bash", { command: "three" });
  await until(() => asked.length === 1);
  controller.abort();
  expect(await second).toEqual({ kind: "refuse", reason: "nobody answered whether it may run" });
  asked[0]?.answer("no");
  await until(() => asked.length === 2);
  asked[1]?.answer("yes");
  expect([(await first).kind, (await third).kind, asked.map(({ question }) => question.agent)]).toEqual([
    "refuse",
    "go",
    ["a1", "a3"],
  ]);
});

test("a question that is shown is withdrawn with its call", async () => {
  const { asked, before } = setUp();
  const controller = new AbortController();
  const first = before("a1", "bash", { command: "one" }, controller.signal);
  const second = before("a2", "bash", { command: "two" });
  await until(() => asked.length === 1);
  controller.abort();
  await until(() => asked.length === 2);
  // A late answer to the first decides nothing.
  asked[0]?.answer("yes");
  asked[1]?.answer("no");
  expect([(await first).kind, (await second).kind]).toEqual(["refuse", "refuse"]);
});

test("always: the same command, and no other; edits, and no commands. What waits already is covered, too", async () => {
  const { asked, before, events } = setUp();
  const first = before("a1", "bash", { command: "make" });
  const same = before("a2", "bash", { command: "make" });
  await until(() => asked.length === 1);
  asked[0]?.answer("always");
  expect([(await first).kind, (await same).kind]).toEqual(["go", "go"]);
  const other = before("a1", "bash", { command: "make all" });
  await until(() => asked.length === 2);
  asked[1]?.answer("no");
  expect((await other).kind).toBe("refuse");
  const edit = before("a1", "write_file", { path: "new.txt", content: "a\n" });
  await until(() => asked.length === 3);
  asked[2]?.answer("always");
  expect([(await edit).kind, (await before("a2", "write_file", { path: "b", content: "" })).kind]).toEqual([
    "go",
    "go",
  ]);
  expect(events.flatMap((event) => (event.kind === "answered" ? [event.answer] : []))).toEqual([
    "always",
    "covered",
    "no",
    "always",
  ]);
});

test("an edit is asked for with the file as it is and as it would be", async () => {
  await tree().put("src/a.txt", "one\ntwo\n");
  const { asked, before } = setUp();
  const edit = { path: "src/a.txt", edits: [{ old_string: "two", new_string: "three" }] };
  const verdicts = [before("a1", "edit_file", edit), before("a1", "write_file", { path: "b/c.txt", content: "new\n" })];
  await until(() => asked.length === 1);
  asked[0]?.answer("yes");
  await until(() => asked.length === 2);
  asked[1]?.answer("yes");
  await Promise.all(verdicts);
  expect(asked.map(({ question }) => question.subject)).toEqual([
    { kind: "edit", path: "src/a.txt", before: "one\ntwo\n", after: "one\nthree\n" },
    { kind: "edit", path: "b/c.txt", before: null, after: "new\n" },
  ]);
});

test("where nobody can be asked it is refused with the reason, unless a rule allows it", async () => {
  const allow = [unwrap(parseRule("bash(npm test)", ["bash"]), "rule")];
  const { before } = setUp({ person: null, policy: { mode: "ask", sandbox: "held", allow, deny: [] } });
  expect(await before("a0", "bash", { command: "npm test" })).toEqual({ kind: "go" });
  expect(await before("a0", "bash", { command: "npm test; make" })).toEqual({
    kind: "refuse",
    reason: `it needs the person's approval (no rule allows "make"), and there is no terminal to ask on. The person can allow it beforehand with a rule, --allow 'bash(<command>)', or with another --approval`,
  });
});

test("where a rule that forbids may hold, the refusal names no rule that allows as the way out", async () => {
  const rule = (text: string) => unwrap(parseRule(text, ["bash"]), "rule");
  const policy = {
    mode: "ask",
    sandbox: "held",
    allow: [rule("bash(npx *)")],
    deny: [rule("bash(git push *)")],
  } as const;
  const { before } = setUp({ person: null, policy });
  const verdict = await before("a0", "bash", { command: "npx git push" });
  expect(verdict).toEqual({
    kind: "refuse",
    reason: expect.stringMatching(
      /^it needs the person's approval \(the rule bash\(git push \*\) may forbid it: .*No rule that allows/,
    ),
  });
});

test("a hook that wants the person to be asked is heard for a read as well", async () => {
  const { asked } = setUp();
  const approvals = new Approvals({
    policy: { mode: "full-auto", sandbox: "held", allow: [], deny: [] },
    person: null,
    clock: tree().env.clock,
    onEvent: () => {},
  });
  const gate = approvals.gateFor({ root: tree().root, tools: readOnlyTools(tree().env) });
  const call = { ...gated("a0", "read_file", { path: "a" }), hook: "ask" as const };
  expect((await gate.before(call, new AbortController().signal)).kind).toBe("refuse");
  expect(asked).toEqual([]);
});

test("a hook may answer in the person's place", async () => {
  const { asked, before } = setUp({
    instead: async (_agent, { call }) => {
      const { value } = call.arguments.kind === "parsed" ? call.arguments : { value: null };
      return JSON.stringify(value).includes("make") ? { kind: "deny", reason: "not now" } : { kind: "allow" };
    },
  });
  expect([await before("a0", "bash", { command: "ls" }), await before("a0", "bash", { command: "make" })]).toEqual([
    { kind: "go" },
    { kind: "refuse", reason: "a hook refused it: not now" },
  ]);
  expect(asked).toEqual([]);
});
