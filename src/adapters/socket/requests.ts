// Answers what a client asks but commits and uploads. Everything is read from durable snapshots; lists and contents go out in parts,
// each when the one before has been taken.

import { createHash } from "node:crypto";
import { unreachable } from "../../base/assert.ts";
import type { Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { objectFormatOf } from "../../log/blob-id.ts";
import { LOG_LIMITS } from "../../log/limits.ts";
import type { Conflict } from "../../vcs/types.ts";
import type { SharedRoom } from "./asks.ts";
import { contents, history } from "./bulk.ts";
import { log, watch } from "./events.ts";
import type { SocketLimits } from "./limits.ts";
import { entriesAPart, type ListRow, packListPart } from "./list-part.ts";
import type { Answers, Ask, ConflictAnswer, ConflictLine, Problem } from "./messages.ts";
import type { ContentReader, ServedStore } from "./served-store.ts";
import { problemOf } from "./uploads.ts";

export interface Parts {
  /** Resolves when there is room for the next. */
  push(part: Uint8Array): Promise<void>;
  isClosed(): boolean;
}

export interface AskContext extends SharedRoom {
  readonly store: ServedStore;
  readonly limits: SocketLimits;
  readonly parts: Parts;
}

type Answered = Result<Answers[Ask["kind"]], Problem>;
type AskOf<K extends Ask["kind"]> = Extract<Ask, { kind: K }>;

const conflictsAnAnswer = 1_000;

export async function answerAsk(context: AskContext, ask: Exclude<Ask, { kind: "upload" }>): Promise<Answered> {
  const { store, upkeep, parts } = context;
  const isWanted = (): boolean => !parts.isClosed();
  switch (ask.kind) {
    case "head":
      return ok(head(store));
    case "list":
      return list(context, ask);
    case "entry": {
      const at = snapshotOf(store, ask.at);
      return at.ok ? ok({ at: at.value, entry: store.vcs.entry(ask.path, at.value) }) : at;
    }
    case "blob":
      return blob(context, ask);
    case "history":
      return history(context, ask);
    case "contents":
      return contents(context, ask);
    case "log":
      return log(context, ask);
    case "watch":
      return watch(context, ask);
    case "undo": {
      const { key, agent, task, message, reason, wish } = ask;
      const request = { key, author: { agent, task }, message, wish, ...(reason === null ? {} : { reason }) };
      return reported(await upkeep.ask(`undo ${key}`, isWanted, () => store.upkeep.undo(request)));
    }
    case "conflicts":
      return ok(conflicts(store, ask));
    case "conflict": {
      const found = store.vcs.conflict(ask.id);
      return found === null ? err(notFound(`there is no conflict ${ask.id}`)) : ok(conflictAnswer(found));
    }
    case "stats": {
      const figures = await upkeep.ask("stats", isWanted, async () => ok(await store.upkeep.stats()));
      return figures.ok ? ok({ figures: figures.value.figures, hottest: figures.value.hottest }) : reported(figures);
    }
    case "gc":
      return reported(await upkeep.ask(`gc ${ask.keep}`, isWanted, () => store.upkeep.gc(ask.keep)));
    case "fsck":
      return reported(await upkeep.ask("fsck", isWanted, () => store.upkeep.fsck()));
    case "import": {
      const { repository, revision, history: along } = ask;
      const name = `import ${JSON.stringify([repository, revision, along])}`;
      return reported(
        await upkeep.ask(name, isWanted, () => store.upkeep.import({ repository, revision, history: along })),
      );
    }
    default:
      return unreachable(ask);
  }
}

function head({ vcs, ledger }: ServedStore): Answers["head"] {
  const imported = vcs.imported();
  const { stopped } = ledger;
  return {
    position: vcs.head(),
    imported:
      imported === null
        ? null
        : {
            source: imported.source,
            object_format: imported.objectFormat,
            position: imported.position,
            tip: imported.tip,
          },
    stopped: stopped === null ? null : "message" in stopped ? stopped.message : stopped.kind,
  };
}

/** Only what is durable is told: a position of a snapshot that a crash could still take back is none. */
function snapshotOf({ vcs }: ServedStore, wanted: Position | null): Result<Position, Problem> {
  const newest = vcs.head();
  if (wanted === null) return ok(newest);
  if (wanted <= newest) return ok(wanted);
  return err(notFound(`snapshot ${wanted} does not exist: the head is at ${newest}`));
}

async function list({ store, parts, turns }: AskContext, ask: AskOf<"list">): Promise<Answered> {
  const at = snapshotOf(store, ask.at);
  if (!at.ok) return at;
  let entries = 0;
  let seen = 0;
  let part: ListRow[] = [];
  for (const [path, { mode, blob: id }] of store.vcs.entries(at.value)) {
    seen += 1;
    // Also of a listing that finds little: nobody waits for more than so many paths to be looked at.
    if (seen % entriesAPart === 0) await turns.next();
    if (parts.isClosed()) break;
    if (!path.startsWith(ask.prefix)) continue;
    part.push([path, mode, id]);
    entries += 1;
    if (part.length < entriesAPart) continue;
    await parts.push(packListPart(part));
    part = [];
  }
  if (part.length > 0 && !parts.isClosed()) await parts.push(packListPart(part));
  return ok({ at: at.value, entries });
}

/** The bytes are checked on the way: where they are not those of the id, the answer says so instead of ending well. */
async function blob({ store, limits, heldBytes, parts }: AskContext, ask: AskOf<"blob">): Promise<Answered> {
  const format = objectFormatOf(ask.id);
  if (format === null) return err({ failed: "bad-request", message: `${ask.id} is no object id` });
  if (!store.contents.has(ask.id)) return err(notFound(`the store has no content ${ask.id}`));
  // Of some it is known when they are open how much they hold: until then they have room for the largest.
  const most = Math.min(heldBytes.bytesMax, store.contents.bytesOf(ask.id) ?? LOG_LIMITS.batchBytesMax);
  const taking = heldBytes.take(most);
  if (taking !== null) await taking;
  if (parts.isClosed()) {
    heldBytes.give(most);
    return err(notFound("the connection is gone"));
  }
  const opened = await store.contents.open(ask.id);
  if (!opened.ok) {
    heldBytes.give(most);
    return err(problemOf(opened.error));
  }
  const reader = opened.value;
  const held = Math.min(reader.heldBytes, most);
  heldBytes.give(most - held);
  try {
    await parts.push(lengthPart(reader.bytes));
    const hash =
      ask.offset === 0 && !reader.isChecked ? createHash(format).update(`blob ${reader.bytes}\0`, "latin1") : null;
    for (let at = ask.offset; at < reader.bytes && !parts.isClosed(); at += limits.partBytes) {
      const part = await partOf(reader, at, limits.partBytes);
      if (!part.ok) return part;
      hash?.update(part.value);
      await parts.push(part.value);
    }
    if (hash !== null && !parts.isClosed() && hash.digest("hex") !== ask.id) {
      return err({ failed: "damaged", message: `the bytes of ${ask.id} are not those of its id: skein vcs fsck` });
    }
    return ok({ bytes: reader.bytes });
  } finally {
    heldBytes.give(held);
    await reader.close();
  }
}

/** The first part of every content: how many bytes the whole has (u64, little-endian). */
function lengthPart(bytes: number): Buffer {
  const part = Buffer.alloc(8);
  part.writeBigUInt64LE(BigInt(bytes));
  return part;
}

async function partOf(reader: ContentReader, at: number, partBytes: number): Promise<Result<Uint8Array, Problem>> {
  const length = Math.min(partBytes, reader.bytes - at);
  const part = await reader.read(at, length);
  if (!part.ok) return err(problemOf(part.error));
  if (part.value.byteLength === length) return part;
  return err({ failed: "damaged", message: `the content ends at byte ${at + part.value.byteLength}` });
}

function conflicts({ vcs }: ServedStore, { after, open_only: openOnly }: AskOf<"conflicts">): Answers["conflicts"] {
  const head = vcs.head();
  // What is accepted and not yet durable is told by nobody.
  const all = vcs.conflicts().filter(({ head: at, state }) => at <= head && (!openOnly || state === "open"));
  const page = all.slice(after, after + conflictsAnAnswer);
  const next = after + page.length;
  return { conflicts: page.map(conflictLine), next: next < all.length ? next : null };
}

function conflictLine({ id, state, author, head: at, paths, commits }: Conflict): ConflictLine {
  const [first] = paths;
  return { id, state, author, head: at, paths: paths.length, commits: commits.length, first_path: first?.path ?? null };
}

export function conflictAnswer(conflict: Conflict): ConflictAnswer {
  const { id, state, author, head: at, paths, commits, resolvedAt, resolvedBy } = conflict;
  return {
    id,
    state,
    author,
    head: at,
    paths: paths.map(({ path, base, ours, theirs, oursAuthor }) => ({
      path,
      base,
      ours,
      theirs,
      ours_author: oursAuthor,
    })),
    commits: commits.map(({ key, base, author: by, message, changes, position }) => ({
      key,
      base,
      author: by,
      message,
      changes: changes.length,
      position,
    })),
    resolved_at: resolvedAt,
    resolved_by: resolvedBy,
  };
}

function reported(report: Result<string, string>): Answered {
  return report.ok ? ok({ report: report.value }) : err({ failed: "store", message: report.error });
}

function notFound(message: string): Problem {
  return { failed: "not-found", message };
}
