// What a person is asked about one call, and how they may answer.

import type { AgentId, CallId } from "../../base/ids.ts";

export interface Question {
  /** From 1, in the order of asking. */
  readonly number: number;
  readonly agent: AgentId;
  /** Who delegated to the agent; null for the first. */
  readonly parent: AgentId | null;
  readonly turn: number;
  readonly callId: CallId;
  readonly tool: string;
  /** Why they are asked, in a few words. */
  readonly why: string;
  readonly subject: Subject;
}

/** Texts are the model's and the repository's: not clean. */
export type Subject =
  | { readonly kind: "command"; readonly command: string; readonly directory: string }
  /** `before` is null for a file that is not there. */
  | { readonly kind: "edit"; readonly path: string; readonly before: string | null; readonly after: string }
  /** What the call was given, as JSON. */
  | { readonly kind: "other"; readonly input: string };

/** `always`: this command, or edits, without asking again in this run. */
export type Answer = "yes" | "always" | "no";

export interface Person {
  /** One question at a time. Null where the signal aborted first, or nobody can answer any more. Must not reject. */
  ask(question: Question, signal: AbortSignal): Promise<Answer | null>;
}

export type ApprovalEvent =
  /** It waits for the person, behind those asked before. */
  | { readonly kind: "waiting"; readonly question: Question }
  | {
      readonly kind: "answered";
      readonly question: Question;
      /** `covered`: an answer of `always` to another question holds for it; `none`: it was taken back, or nobody answered. */
      readonly answer: Answer | "covered" | "none";
      readonly waitedMs: number;
    };
