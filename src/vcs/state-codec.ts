// The VCS's state as parts of a checkpoint: first the small things as one msgpack value, then the names, then the tables'
// columns as they are in memory. What follows from the rows (heads, directories, indexes) is computed again.

import { Packr } from "msgpackr";
import type { BlobId, Position, RepoPath } from "../base/ids.ts";
import { list, natural, nullable, object, oneOf, type Parser, parse, text } from "../base/parse.ts";
import type { FoldCodec } from "../log/fold.ts";
import { authorParser, discardedSides } from "./records.ts";
import { readConflict, savedConflict } from "./saved-conflict.ts";
import type { VcsState } from "./state.ts";
import { VersionTable } from "./version-table.ts";

const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });

/** Names, authors and conflict objects of one part: their texts stay below a part's limit. */
const namesOfPart = 200;
const line = text(4_096);

const figures = object({
  commits: natural(),
  mergedCommits: natural(),
  mergedPaths: natural(),
  conflictsFound: natural(),
  conflictsResolved: natural(),
});
const source = object({ repository: line, branch: nullable(line), commit: line, tree: line });
const tip = object({ commit: line, tree: line, position: natural<Position>() });
const imported = object({ source, objectFormat: oneOf("sha1", "sha256"), position: natural<Position>(), tip });
const head = object({
  imported: nullable(imported),
  keptFrom: natural<Position>(),
  figures,
  rows: natural(),
  names: natural(),
  commits: natural(),
  authors: natural(),
  answers: natural(),
  named: natural(),
  discarded: natural(),
  conflicts: natural(),
});
const names = list(text<RepoPath>(4_096), namesOfPart);
const authors = list(authorParser, namesOfPart);
const named = list(object({ at: natural<Position>(), blob: text<BlobId>(64) }), namesOfPart);

export function vcsStateCodec(initial: () => VcsState): FoldCodec<VcsState> {
  return { save, load: (parts) => load(initial(), parts) };
}

function save(state: VcsState): Iterable<Uint8Array> | null {
  // It lasts for the length of an import, or is what is left of one: its records say it.
  if (state.coming !== null) return null;
  const { versions, commits, answers } = state;
  const counts = {
    rows: versions.rows,
    names: versions.paths,
    commits: commits.length,
    authors: commits.authors().length,
    answers: answers.length,
    named: state.named.length,
    discarded: state.discarded.length,
    conflicts: state.conflicts.size,
  };
  const first = { imported: state.imported, keptFrom: state.keptFrom, figures: state.figures, ...counts };
  // Objects that are replaced, never changed: the list of them is an image.
  const conflicts = [...state.conflicts.values()];
  const rest = function* (): Generator<Uint8Array> {
    yield packr.pack(first);
    yield* lists(versions.names(), counts.names);
    yield* lists(commits.authors(), counts.authors);
    yield* lists(state.named, counts.named);
    yield* lists(state.discarded, counts.discarded);
    for (const conflict of conflicts) yield* savedConflict(conflict);
    yield* versions.parts(counts.rows);
    yield* commits.parts(counts.commits);
    yield* answers.parts(counts.answers);
  };
  return rest();
}

async function load(state: VcsState, parts: AsyncIterable<Uint8Array>): Promise<VcsState | null> {
  const iterator = parts[Symbol.asyncIterator]();
  const next = async (): Promise<Uint8Array | null> => {
    const part = await iterator.next();
    return part.done === true ? null : part.value;
  };
  const first = read(head, await next());
  if (first === null) return null;
  state.imported = first.imported;
  state.keptFrom = first.keptFrom;
  state.figures = first.figures;
  const pathNames = await readLists(names, first.names, next);
  const authorList = await readLists(authors, first.authors, next);
  const namedList = await readLists(named, first.named, next);
  const discardedList = await readLists(discardedSides, first.discarded, next);
  if (pathNames === null || authorList === null || namedList === null || discardedList === null) return null;
  for (const each of namedList) state.named.push(each);
  for (const each of discardedList) state.discarded.push(each);
  for (let left = first.conflicts; left > 0; left -= 1) {
    const conflict = await readConflict(next);
    if (conflict === null) return null;
    state.conflicts.set(conflict.id, conflict);
    if (conflict.state === "resolved") continue;
    const { task } = conflict.author;
    state.openConflicts.set(task, [...(state.openConflicts.get(task) ?? []), conflict.id]);
  }
  state.versions = new VersionTable(first.imported?.objectFormat === "sha256" ? 32 : 20);
  if (!(await state.versions.load(pathNames, first.rows, next))) return null;
  if (!(await state.commits.load(authorList, first.commits, next))) return null;
  if (!(await state.answers.load(first.answers, next))) return null;
  return (await next()) === null ? state : null;
}

/** The first `count` of a list that only grows. */
function* lists(items: readonly unknown[], count: number): Generator<Uint8Array> {
  for (let at = 0; at < count; at += namesOfPart) yield packr.pack(items.slice(at, Math.min(count, at + namesOfPart)));
}

async function readLists<T>(
  parser: Parser<readonly T[]>,
  count: number,
  next: () => Promise<Uint8Array | null>,
): Promise<readonly T[] | null> {
  const all: T[] = [];
  while (all.length < count) {
    const some = read(parser, await next());
    if (some === null || some.length === 0) return null;
    for (const each of some) all.push(each);
  }
  return all.length === count ? all : null;
}

function read<T>(parser: Parser<T>, part: Uint8Array | null): T | null {
  if (part === null) return null;
  const parsed = parse(parser, packr.unpack(part), "checkpoint");
  return parsed.ok ? parsed.value : null;
}
