// The port that gives a child what it works with: its tree with tools, its model, its transcript. Whoever makes it knows of
// workspaces, models and files; the family knows when.

import type { AgentId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { ChildOutcome } from "./child-outcome.ts";
import type { AskedChild, DelegateRequest } from "./delegation-record.ts";
import type { SessionLog } from "./session-entry.ts";
import type { LoadedSession } from "./session-load.ts";
import type { AgentPorts, AgentSpec, Spill } from "./spec.ts";
import type { WriteScope } from "./write-scope.ts";

export interface ChildPlan {
  readonly asked: AskedChild;
  readonly model: string;
  readonly writes: WriteScope;
  /** Paths of the tree that it is not shown: others change them at the same time. */
  readonly hidden: readonly string[];
  /** The agents above it, its parent last. */
  readonly above: readonly AgentId[];
  /** It may have been at work before a crash. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

export interface ChildHome {
  readonly spec: Pick<AgentSpec, "system" | "tools" | "limits">;
  readonly ports: Pick<AgentPorts, "provider" | "locks" | "spill" | "hooks" | "gate" | "running" | "trace">;
  readonly record: SessionLog;
  /** Of a child that goes on after a crash; null for one that begins. */
  readonly session: LoadedSession | null;
  /** What it is told below its task; left out for nothing. */
  readonly told?: string;
  /**
   * Brings its changes to its parent, in words for the parent: after the agent is over, however it ended. Never rejects.
   * Null for one that has no changes of its own.
   */
  readonly finish: ((outcome: ChildOutcome) => Promise<FinishedChanges>) | null;
  /** Closes its transcript. */
  close(): Promise<void>;
}

export interface FinishedChanges {
  /** Empty where there is nothing to say. */
  readonly text: string;
  /** `failed`: what the child was done with could not be brought to its parent. */
  readonly kind: "brought" | "failed";
}

export interface ChildMaker {
  /** Models that a child may ask; the first is the usual one. */
  readonly models: readonly string[];
  /** The error is a sentence for the parent. */
  make(plan: ChildPlan): Promise<Result<ChildHome, string>>;
  /** What paths of a write scope name in the agent's tree, as claims name it. The error is a sentence for that agent. */
  scopeIn(agent: AgentId, paths: readonly string[]): Promise<Result<readonly string[], string>>;
  /** Where full texts of results go that `agent` reads. */
  spillOf(agent: AgentId): Spill;
}

/** Why a request cannot be granted whatever runs; null if it can. */
export function requestRefusal(
  { isolation, writeScope, model }: DelegateRequest,
  models: readonly string[],
): string | null {
  if (isolation === "workspace" && writeScope.length > 0)
    return "write_scope is for isolation shared: a child with a workspace changes its own copy";
  if (model !== null && !models.includes(model))
    return `the model "${model}" is not one of this run; it has: ${models.join(", ")}`;
  return null;
}
