// A conflict object in a checkpoint: one msgpack value, cut into pieces where it is long, with their number before them.

import { Packr } from "msgpackr";
import type { CommitKey, ConflictId, Position } from "../base/ids.ts";
import { list, natural, nullable, object, oneOf, parse, text } from "../base/parse.ts";
import { checkpointPartBytesMax } from "../log/limits.ts";
import { authorParser, basesParser, changeParser, entryParser, pathParser } from "./records.ts";
import type { Conflict } from "./types.ts";

const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });

const itemsMax = 4_000_000;
const piecesMax = 100_000;

const conflictParser = object({
  id: text<ConflictId>(40),
  state: oneOf("open", "resolved"),
  author: authorParser,
  head: natural<Position>(),
  paths: list(
    object({
      path: pathParser,
      base: nullable(entryParser),
      ours: nullable(entryParser),
      theirs: nullable(entryParser),
      oursAuthor: nullable(authorParser),
    }),
    itemsMax,
  ),
  commits: list(
    object({
      key: text<CommitKey>(1_000),
      base: natural<Position>(),
      author: authorParser,
      message: text(1_000_000),
      changes: list(changeParser, itemsMax),
      bases: basesParser,
      position: natural<Position>(),
    }),
    itemsMax,
  ),
  resolvedAt: nullable(natural<Position>()),
  resolvedBy: nullable(authorParser),
});

export function* savedConflict(conflict: Conflict): Generator<Uint8Array> {
  const commits = conflict.commits.map(({ bases, ...commit }) => ({
    ...commit,
    bases: [...(bases ?? [])].map(([path, from]) => ({ path, from })),
  }));
  const bytes = packr.pack({ ...conflict, commits });
  const pieces = Math.ceil(bytes.length / checkpointPartBytesMax);
  yield packr.pack(pieces);
  for (let piece = 0; piece < pieces; piece += 1) {
    yield bytes.subarray(piece * checkpointPartBytesMax, (piece + 1) * checkpointPartBytesMax);
  }
}

/** Null if the next parts are no conflict object. */
export async function readConflict(next: () => Promise<Uint8Array | null>): Promise<Conflict | null> {
  const count = await next();
  const pieces: unknown = count === null ? null : packr.unpack(count);
  if (typeof pieces !== "number" || pieces > piecesMax) return null;
  const bytes: Uint8Array[] = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const part = await next();
    if (part === null) return null;
    bytes.push(part.slice());
  }
  const parsed = parse(conflictParser, packr.unpack(Buffer.concat(bytes)), "conflict");
  if (!parsed.ok) return null;
  const commits = parsed.value.commits.map(({ bases, ...commit }) =>
    bases.length === 0 ? commit : { ...commit, bases: new Map(bases.map(({ path, from }) => [path, from])) },
  );
  return { ...parsed.value, commits };
}
