// What a lone run is asked, shows while it goes on, answers and can fail with: the contract between the command line and this folder.

import type { Policy } from "../agent/approval/policy.ts";
import type { ApprovalEvent, Person } from "../agent/approval/question.ts";
import type { DelegateRequest } from "../agent/delegation-record.ts";
import type { FamilyEvent } from "../agent/family-event.ts";
import type { AgentEvent, AgentResult } from "../agent/spec.ts";
import type { AgentId, RunId } from "../base/ids.ts";
import type { FileError } from "../host/files.ts";
import type { Provider } from "../model/provider.ts";
import type { ConfigError } from "./config-text.ts";
import type { FoundRun, NoRun } from "./find-runs.ts";
import type { RoleModel, RoleModelError } from "./role-models.ts";
import type { RunBill } from "./run-bill.ts";
import type { HookRefusal } from "./run-hooks.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import type { SettingsError } from "./setting-sources.ts";
import type { Settings } from "./settings.ts";
import type { StateError } from "./state-directory.ts";
import type { RunFlags } from "./swarm-types.ts";

export interface RunOptions {
  readonly flags: RunFlags;
  readonly limits: LoneLimits;
}

export type ChildContext = DelegateRequest["context"];

/** As the person typed them; what is undefined was not named. */
export interface LoneLimits {
  /** Model requests of this run of the first agent. */
  readonly turnsMax?: number | undefined;
  /** Calls of one response, and children, at the same time. */
  readonly parallel?: number | undefined;
  readonly childrenAtOnce?: number | undefined;
  readonly childrenMax?: number | undefined;
  readonly depthMax?: number | undefined;
  readonly childMinutes?: number | undefined;
  readonly childBudgetUsd?: number | undefined;
  readonly childTurnsMax?: number | undefined;
  /** Siblings start once the first of them has its first answer, so that they find the provider's cache filled. */
  readonly stagger?: boolean | undefined;
  /** Tokens of the model's window, where the table does not know it or has it wrong. */
  readonly contextTokens?: number | undefined;
  /** Names of the only tools that agents have. */
  readonly tools?: readonly string[] | undefined;
  /** What children may be given of their parent's conversation; the first is usual. */
  readonly childContexts?: readonly ChildContext[] | undefined;
}

export interface NewRun extends RunOptions {
  readonly task: string;
}

export interface ResumedRun extends RunOptions {
  /** Id of the run, or a part of it that no other run has. */
  readonly run: string;
  /** What is to be done next; null to go on where it stopped. */
  readonly task: string | null;
}

export interface RunStart {
  readonly runId: RunId;
  readonly agent: AgentId;
  readonly resumed: Resumed | null;
  readonly task: string;
  readonly roles: readonly RoleModel[];
  readonly settings: Settings;
  readonly limits: RunLimits;
  readonly directory: string;
  readonly transcript: string;
  /** What it takes from around it: notes for agents, skills, hooks; a line each. */
  readonly around: readonly string[];
  readonly policy: Policy;
  readonly sandbox: OpenedSandbox;
  /** Whether questions can be asked. */
  readonly asksPerson: boolean;
}

export interface Resumed {
  /** Of all agents before. */
  readonly bill: RunBill;
  /** Calls that were lost: run now, and told to the model as interrupted. */
  readonly callsPending: number;
  readonly callsInterrupted: number;
  readonly linesDamaged: number;
}

export interface RunLimits {
  readonly turnsMax: number;
  readonly callsAtOnceMax: number;
  readonly childrenAtOnceMax: number;
  readonly childrenMax: number;
  readonly depthMax: number;
  readonly contextTokens: number | null;
}

export interface RunWatcher {
  onStart(start: RunStart): void;
  onEvent(event: AgentEvent): void;
  onFamily(event: FamilyEvent): void;
  onNote(text: string): void;
  /** A call waits for the person, or has its answer. */
  onApproval(event: ApprovalEvent): void;
  /** Null where nobody can be asked. */
  readonly person: Person | null;
  /** Aborts when the person cancels: calls and children are stopped, and what was done is recorded. */
  readonly stop: AbortSignal;
  /** Aborts when that takes too long for the person. */
  readonly stopNow: AbortSignal;
}

export interface RunResult {
  readonly runId: RunId;
  readonly provider: Provider;
  readonly result: RunEnding;
  /** Of the whole run, its children and what came before it was resumed included. */
  readonly bill: RunBill;
  /** Of this process. */
  readonly wallMs: number;
  readonly transcript: string;
}

/** `ended-now`: the person would not wait for what was being stopped. */
export type RunEnding = AgentResult | { readonly kind: "ended-now" };

export type RunError =
  | { readonly kind: "empty-task" }
  | { readonly kind: "task-too-long"; readonly chars: number; readonly charsMax: number }
  | ConfigError
  | SettingsError
  | HookRefusal
  | RoleModelError
  | StateError
  | FileError;

export type ResumeRunError =
  | RunError
  | NoRun
  /** A swarm's: it is resumed by another command. */
  | { readonly kind: "not-a-lone-run"; readonly run: FoundRun }
  /** Another process is at work on it. */
  | { readonly kind: "lone-run-held"; readonly run: RunId }
  /** What it was started with was not recorded. */
  | { readonly kind: "lone-never-began"; readonly run: FoundRun }
  | { readonly kind: "directory-gone"; readonly run: FoundRun; readonly path: string; readonly message: string }
  /** It has nothing left to do. */
  | { readonly kind: "needs-task"; readonly run: RunId }
  /** Its transcript cannot be gone on from. */
  | { readonly kind: "transcript"; readonly run: FoundRun; readonly path: string; readonly message: string };
