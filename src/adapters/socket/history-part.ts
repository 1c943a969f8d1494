// Landed commits on the socket: a part is a msgpack list of them, as the server packs it and the client reads it.

import type { AgentId, BlobId, ConflictId, Position, RepoPath, TaskId } from "../../base/ids.ts";
import { list, natural, nullable, object, oneOf, optional, type Parsed, parse, text, union } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import type { LandedCommit } from "../../vcs/types.ts";
import { packValue, unpackBody } from "./frame.ts";

/** A part has at least one commit: one with many paths is a large part. */
export const commitsAPartMax = 500;

const listedMax = 1_000_000;
const path = text<RepoPath>(4_096);
const blob = text<BlobId>(64);
const mode = oneOf("100644", "100755", "120000", "160000");
const position = natural<Position>();
const author = object({ agent: text<AgentId>(1_000), task: text<TaskId>(1_000) });
const entry = object({ blob, mode });
const discarded = object({
  path,
  side: oneOf("ours", "theirs"),
  task: nullable(text<TaskId>(1_000)),
  entry: nullable(entry),
  reason: text(4_096),
});
export const commitParser = object({
  position,
  at_ms: natural(),
  author,
  message: text(1_000_000),
  base: position,
  changes: list(union({ put: object({ path, blob, mode }), delete: object({ path }) }), listedMax),
  merged: list(object({ path, proposed: entry, head: entry }), listedMax),
  resolves: nullable(text<ConflictId>(40)),
  resolved_by: optional(nullable(author), null),
  discarded: optional(list(discarded, listedMax), []),
  moved: optional(list(object({ from: path, to: path }), listedMax), []),
});
const commits = list(commitParser, commitsAPartMax);

export function packHistoryPart(part: readonly LandedCommit[]): Buffer {
  return packValue(part.map(wireCommit));
}

export function wireCommit({ atMs, resolvedBy, ...rest }: LandedCommit) {
  return { ...rest, at_ms: atMs, resolved_by: resolvedBy ?? null };
}

/** The server is ours and of this protocol: what cannot be read is a bug and throws. */
export function historyPart(body: Uint8Array): readonly LandedCommit[] {
  const value = unwrap(unpackBody(body), "a part of a history");
  return unwrap(parse(commits, value, "history"), "a part of a history").map(landedCommit);
}

export function landedCommit(wire: Parsed<typeof commitParser>): LandedCommit {
  const { at_ms: atMs, resolved_by: resolvedBy, discarded: left, moved, ...rest } = wire;
  return {
    ...rest,
    atMs,
    ...(resolvedBy === null ? {} : { resolvedBy }),
    ...(left.length === 0 ? {} : { discarded: left }),
    ...(moved.length === 0 ? {} : { moved }),
  };
}
