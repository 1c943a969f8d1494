// Events of a store on the socket: a part is a msgpack list of them, as the server packs it and the client reads it.

import type { AgentId, CommitKey, ConflictId, Position, RepoPath, TaskId } from "../../base/ids.ts";
import { flag, list, natural, object, type Parsed, parse, text, union } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import type { StoreEvent } from "../../vcs/watch.ts";
import { packValue, unpackBody } from "./frame.ts";
import { commitParser, landedCommit, wireCommit } from "./history-part.ts";

/** A part has at least one event: one with many paths is a large part. */
export const eventsAPartMax = 500;

const position = natural<Position>();
const author = object({ agent: text<AgentId>(1_000), task: text<TaskId>(1_000) });
const paths = list(text<RepoPath>(4_096), 1_000_000);
const conflict = text<ConflictId>(40);
const base = { position, at_ms: natural() };
const event = union({
  imported: object({ ...base, files: natural(), commit: text(64) }),
  landed: commitParser,
  conflict: object({
    ...base,
    conflict,
    joined: flag,
    key: text<CommitKey>(1_000),
    author,
    message: text(1_000_000),
    paths,
  }),
  refreshed: object({ ...base, conflict, paths }),
  closed: object({ ...base, conflict, resolved_by: author }),
  collected: object({ ...base, kept_from: position }),
});
const events = list(event, eventsAPartMax);

export function packEventPart(part: readonly StoreEvent[]): Buffer {
  return packValue(part.map(wireEvent));
}

/** The server is ours and of this protocol: what cannot be read is a bug and throws. */
export function eventPart(body: Uint8Array): readonly StoreEvent[] {
  const value = unwrap(unpackBody(body), "a part of events");
  return unwrap(parse(events, value, "events"), "a part of events").map(storeEvent);
}

function wireEvent(each: StoreEvent): object {
  switch (each.kind) {
    case "landed": {
      const { kind, ...commit } = each;
      return { kind, ...wireCommit(commit) };
    }
    case "closed": {
      const { atMs, resolvedBy, ...rest } = each;
      return { ...rest, at_ms: atMs, resolved_by: resolvedBy };
    }
    case "collected": {
      const { atMs, keptFrom, ...rest } = each;
      return { ...rest, at_ms: atMs, kept_from: keptFrom };
    }
    default: {
      const { atMs, ...rest } = each;
      return { ...rest, at_ms: atMs };
    }
  }
}

function storeEvent(wire: Parsed<typeof event>): StoreEvent {
  switch (wire.kind) {
    case "landed": {
      const { kind, ...commit } = wire;
      return { kind, ...landedCommit(commit) };
    }
    case "closed": {
      const { at_ms: atMs, resolved_by: resolvedBy, ...rest } = wire;
      return { ...rest, atMs, resolvedBy };
    }
    case "collected": {
      const { at_ms: atMs, kept_from: keptFrom, ...rest } = wire;
      return { ...rest, atMs, keptFrom };
    }
    default: {
      const { at_ms: atMs, ...rest } = wire;
      return { ...rest, atMs };
    }
  }
}
