// The gate of all agents of a run: each call is judged, and what is not decided is asked of the person, one question at a time in the
// order of asking. Invariant: an answer decides the question that was shown, and no other.

import { isAbsolute, join, relative, sep } from "node:path";
import { orAborted } from "../../base/abort.ts";
import { unreachable } from "../../base/assert.ts";
import type { Clock } from "../../host/clock.ts";
import type { CallGate, GatedCall, GateVerdict } from "../call-gate.ts";
import { resourceAt } from "../claim.ts";
import type { Tool } from "../tool.ts";
import type { JudgedCall, Judgement, Policy } from "./policy.ts";
import type { Answer, ApprovalEvent, Person, Question, Subject } from "./question.ts";
import { commandTool, pathTools } from "./ruled-tools.ts";

export interface ApprovalSetup {
  readonly policy: Policy;
  /** Null where nobody can be asked. */
  readonly person: Person | null;
  readonly clock: Clock;
  /** Asked before the person is; null where they are to answer themselves. Must not reject. */
  readonly instead?: (agent: GatedAgent, call: GatedCall, why: string, signal: AbortSignal) => Promise<Instead | null>;
  /** Must not throw. */
  readonly onEvent: (event: ApprovalEvent) => void;
}

/** What a hook of the person's answers in their place. */
export type Instead = { readonly kind: "allow" } | { readonly kind: "deny"; readonly reason: string };

/** What an agent has: its tree's root without symlinks, and its tools. */
export interface GatedAgent {
  readonly root: string;
  readonly tools: readonly Tool[];
}

export class Approvals {
  private readonly setup: ApprovalSetup;
  private last: Promise<unknown> = Promise.resolve();
  private asked = 0;
  /** What was answered `always`. */
  private readonly commands = new Set<string>();
  private edits = false;

  constructor(setup: ApprovalSetup) {
    this.setup = setup;
  }

  gateFor(agent: GatedAgent): CallGate {
    return {
      before: (call, signal) => this.before(agent, call, signal),
      after: async () => {},
    };
  }

  private async before(agent: GatedAgent, gated: GatedCall, signal: AbortSignal): Promise<GateVerdict> {
    const tool = agent.tools.find(({ spec }) => spec.name === gated.call.name);
    if (tool === undefined || gated.call.arguments.kind === "malformed") return { kind: "go" };
    if (goesPlainly(this.setup.policy, tool, gated)) return { kind: "go" };
    const looked = await look(agent, tool, gated);
    const judgement = await this.judged(looked.call);
    if (judgement.kind !== "ask") return verdict(judgement);
    const { person, instead } = this.setup;
    const answered = (await instead?.(agent, gated, judgement.why, signal)) ?? null;
    if (answered !== null)
      return answered.kind === "allow"
        ? { kind: "go" }
        : { kind: "refuse", reason: `a hook refused it: ${answered.reason}` };
    if (person === null) return { kind: "refuse", reason: nobodyText(looked.call, judgement) };
    return this.inTurn(gated, { ...looked, why: judgement.why, person }, signal);
  }

  /** Waits behind the questions before it. */
  private async inTurn(gated: GatedCall, asking: Asking, signal: AbortSignal): Promise<GateVerdict> {
    const { clock, onEvent } = this.setup;
    const { agent, parent, turn, call } = gated;
    const { why, subject } = asking;
    this.asked += 1;
    const question: Question = {
      number: this.asked,
      agent,
      parent,
      turn,
      callId: call.id,
      tool: call.name,
      why,
      subject,
    };
    const fromMs = clock.monotonicMs();
    onEvent({ kind: "waiting", question });
    const answered = this.last.then(() => this.answer(question, asking, signal));
    this.last = answered;
    // A call that was taken back does not wait for the questions before it.
    const first = await orAborted(answered, signal);
    const answer = first.kind === "aborted" ? "none" : first.value;
    onEvent({ kind: "answered", question, answer, waitedMs: Math.round(clock.monotonicMs() - fromMs) });
    return answeredVerdict(answer);
  }

  /** Judged once more: an answer in between may speak of it, too. */
  private async answer(question: Question, { call, person }: Asking, signal: AbortSignal): Promise<Answered> {
    if (signal.aborted) return "none";
    if ((await this.judged(call)).kind === "go") return "covered";
    const answer = await person.ask(question, signal);
    if (answer === null || signal.aborted) return "none";
    if (answer === "always" && call.command !== null) this.commands.add(call.command);
    else if (answer === "always" && call.effect === "write") this.edits = true;
    return answer;
  }

  /** The reader of command lines is loaded with the first call that it is needed for. */
  private async judged(call: JudgedCall): Promise<Judgement> {
    const { judge } = await import("./policy.ts");
    const judgement = judge(this.setup.policy, call);
    if (judgement.kind !== "ask") return judgement;
    const known = call.command === null ? this.edits && call.effect === "write" : this.commands.has(call.command);
    return known ? { kind: "go" } : judgement;
  }
}

/** Most calls: nothing to read in them decides anything. */
function goesPlainly({ mode, deny, sandbox }: Policy, { effect, spec }: Tool, { hook }: GatedCall): boolean {
  if (hook === "ask" || deny.some(({ tool }) => tool === spec.name)) return false;
  if (effect === "read" || effect === "delegate") return true;
  return mode === "full-auto" && sandbox !== "none";
}

type Answered = Answer | "covered" | "none";

interface Looked {
  readonly call: JudgedCall;
  readonly subject: Subject;
}

interface Asking extends Looked {
  readonly why: string;
  readonly person: Person;
}

async function look({ root }: GatedAgent, tool: Tool, { call, hook }: GatedCall): Promise<Looked> {
  const { name } = call;
  const input = call.arguments.kind === "parsed" ? call.arguments.value : null;
  const judged = { tool: name, effect: tool.effect, hook };
  const command = name === commandTool ? textOf(input, "command") : null;
  if (command !== null)
    return {
      call: { ...judged, command, names: [], real: null },
      subject: { kind: "command", command, directory: root },
    };
  const path = pathTools.has(name) ? textOf(input, "path") : null;
  const other: Subject = { kind: "other", input: JSON.stringify(input) ?? "" };
  if (path === null) return { call: { ...judged, command, names: [], real: null }, subject: other };
  const preview = (await tool.preview?.(input)) ?? null;
  const names = [inside(root, path), ...(await claimed(root, tool, input))];
  if (preview === null) return { call: { ...judged, command, names, real: null }, subject: other };
  const { before, after, path: real } = preview;
  return {
    call: { ...judged, command, names: [...names, real], real },
    subject: { kind: "edit", path: real, before, after },
  };
}

/** The real names of what a call touches, as far as they lie in the tree. */
async function claimed(root: string, tool: Tool, input: unknown): Promise<readonly string[]> {
  const claim = await tool.claim?.(input);
  if (claim === undefined || !("what" in claim) || claim.what === "tree") return [];
  return claim.what.map((path) => inside(resourceAt(root), path));
}

function inside(root: string, path: string): string {
  return relative(root, isAbsolute(path) ? path : join(root, path))
    .split(sep)
    .join("/");
}

function textOf(input: unknown, name: string): string | null {
  if (typeof input !== "object" || input === null) return null;
  const value: unknown = Object.entries(input).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : null;
}

function verdict(judgement: Exclude<Judgement, { kind: "ask" }>): GateVerdict {
  return judgement.kind === "go" ? { kind: "go" } : { kind: "refuse", reason: judgement.reason };
}

function answeredVerdict(answer: Answered): GateVerdict {
  switch (answer) {
    case "yes":
    case "always":
    case "covered":
      return { kind: "go" };
    case "no":
      return {
        kind: "refuse",
        reason: "the person refused it. Do not try the same in another way; go on without it, or say what you need",
      };
    case "none":
      return { kind: "refuse", reason: "nobody answered whether it may run" };
    default:
      return unreachable(answer);
  }
}

function nobodyText({ tool }: JudgedCall, { why, firm }: Extract<Judgement, { kind: "ask" }>): string {
  const begin = `it needs the person's approval (${why}), and there is no terminal to ask on`;
  if (firm)
    return `${begin}. No rule that allows changes that; without what the rule forbids among its words it is judged anew`;
  return `${begin}. The person can allow it beforehand with a rule, --allow '${tool === commandTool ? "bash(<command>)" : tool}', or with another --approval`;
}
