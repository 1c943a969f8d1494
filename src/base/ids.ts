// Branded ids: two kinds of id are two types, so that mixing them does not compile.

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** One id space for runs of every kind: `20261129-213322-k7f3` (UTC second, then 4 random characters). */
export type RunId = Brand<string, "RunId">;
/** `t1`, `t2`, … in the order of delegation; `t0` is the goal. */
export type TaskId = Brand<string, "TaskId">;
/** `a1`, `a2`, … in the order of the leases; `a0` is a lone `skein run`. */
export type AgentId = Brand<string, "AgentId">;
export type HostId = Brand<string, "HostId">;
/** `c1`, `c2`, … */
export type ConflictId = Brand<string, "ConflictId">;
/** `d1`, `d2`, … */
export type DecisionId = Brand<string, "DecisionId">;
/** Chosen by the committer; a repeated key gives the first answer again. */
export type CommitKey = Brand<string, "CommitKey">;
/** A git blob object id, lower-case hex (40 digits; 64 in a SHA-256 repository). */
export type BlobId = Brand<string, "BlobId">;
/** Dense number of a record in the log, from 0. As a snapshot: "after the first `n` records". */
export type Position = Brand<number, "Position">;
/** Path inside a repository: `/`-separated, relative, without `.`, `..` or empty parts. */
export type RepoPath = Brand<string, "RepoPath">;
/** The provider's id of one tool call. */
export type CallId = Brand<string, "CallId">;
/** Grows with each lease of a run; work under an older number of the same task is refused. */
export type Fence = Brand<number, "Fence">;

export const asRunId = (text: string): RunId => text as RunId;
export const asTaskId = (text: string): TaskId => text as TaskId;
export const asAgentId = (text: string): AgentId => text as AgentId;
export const asHostId = (text: string): HostId => text as HostId;
export const asConflictId = (text: string): ConflictId => text as ConflictId;
export const asDecisionId = (text: string): DecisionId => text as DecisionId;
export const asCommitKey = (text: string): CommitKey => text as CommitKey;
export const asBlobId = (text: string): BlobId => text as BlobId;
export const asPosition = (value: number): Position => value as Position;
export const asCallId = (text: string): CallId => text as CallId;
export const asFence = (value: number): Fence => value as Fence;
