// Whether the calls were made that were asked for, and what children were given: judged from the record alone.

import { unreachable } from "../../base/assert.ts";
import type { CheckOf } from "../check-spec.ts";
import type { AgentRecord, CallRecord, RunRecord } from "../record.ts";
import { type Judged, right, wrong } from "./judged.ts";

export function judgeCalls(check: CheckOf<"calls">, { agents }: Pick<RunRecord, "agents">): Judged {
  const { tool, min, max, together } = check;
  const made = agentsOf(check, agents).flatMap((agent) =>
    agent.calls.filter((call) => isMeant(check, call)).map(({ turn }) => `${agent.id} ${turn}`),
  );
  const counted = `${tool} was called ${made.length === 1 ? "once" : `${made.length} times`}`;
  if (made.length < min) return wrong(`${counted}, at least ${min} were asked for`, "too few calls");
  if (max !== undefined && made.length > max) return wrong(`${counted}, at most ${max} were allowed`, "too many calls");
  const responses = new Set(made).size;
  if (together && responses > 1) return wrong(`${counted}, over ${responses} responses`, "not in one response");
  return right(counted);
}

export function judgeContext({ only }: CheckOf<"context">, { delegations }: Pick<RunRecord, "delegations">): Judged {
  const other = delegations.find(({ context }) => context !== null && context !== only);
  if (other !== undefined)
    return wrong(`${other.child ?? "a child"} was given the context ${other.context}`, "other context");
  return right(`every child was given ${only}`);
}

function agentsOf({ of }: CheckOf<"calls">, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  switch (of) {
    case "parent":
      return agents.slice(0, 1);
    case "children":
      return agents.slice(1);
    case "anybody":
      return agents;
    default:
      return unreachable(of);
  }
}

function isMeant({ tool, arguments: pattern, succeeded }: CheckOf<"calls">, call: CallRecord): boolean {
  if (call.name !== tool || (succeeded && call.isError)) return false;
  return pattern === undefined || pattern.test(call.arguments);
}
