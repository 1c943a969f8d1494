// The landed commits from the newest back, of one author or on some paths, found in the tables and read from their records.

import type { Position, RepoPath } from "../base/ids.ts";
import type { Ledger } from "../log/ledger.ts";
import { vcsFold } from "./fold.ts";
import { landedAt, shownEnd } from "./history.ts";
import type { VcsState } from "./state.ts";
import type { Author, LandedCommit } from "./types.ts";
import { importedRow } from "./version-table.ts";

export interface LogQuery {
  /** The newest snapshot whose commits are shown; null: the newest durable one. */
  readonly at: Position | null;
  /** Null: of anybody. */
  readonly agent: string | null;
  readonly task: string | null;
  /** A file, or a directory with all below it; null: any. */
  readonly path: RepoPath | null;
  readonly limit: number;
}

/** Commits and paths that are looked at between two pauses. */
const stepsAPause = 20_000;

/** `pause`: asked now and then in a long search, so that others come in between. */
export async function* commitsBack(
  ledger: Ledger,
  query: LogQuery,
  pause: () => Promise<void>,
): AsyncGenerator<LandedCommit> {
  const state = ledger.state(vcsFold);
  const end = shownEnd(ledger);
  const at = query.at === null || query.at > end ? end : query.at;
  let [found, steps] = [0, 0];
  for (const step of candidates(state, at, query.path)) {
    if (found >= query.limit) return;
    steps += 1;
    if (steps % stepsAPause === 0) await pause();
    if (step === null || !isBy(state.commits.author(step), query)) continue;
    found += 1;
    yield await landedAt(ledger, state.commits.position(step));
  }
}

function isBy({ agent, task }: Author, query: LogQuery): boolean {
  return (query.agent === null || agent === query.agent) && (query.task === null || task === query.task);
}

/** Numbers of commits, newest first; null for each step that found none. */
function candidates(state: VcsState, at: Position, path: RepoPath | null): Iterable<number | null> {
  if (path === null) return allBack(state, at);
  const { versions } = state;
  const isFile = versions.head(path) !== -1 && !versions.hasDirectory(path) && !versions.lostDirectory(path);
  return isFile ? ofFile(state, at, path) : below(state, at, path);
}

function* allBack({ commits }: VcsState, at: Position): Generator<number> {
  for (let commit = commits.countAt(at) - 1; commit >= 0; commit -= 1) yield commit;
}

function* ofFile({ versions, commits }: VcsState, at: Position, path: RepoPath): Generator<number | null> {
  for (let row = versions.head(path); row !== -1; row = versions.older(row)) {
    const commit = versions.commit(row);
    if (commit === importedRow) return;
    yield commits.position(commit) <= at ? commit : null;
  }
}

function* below({ versions, commits }: VcsState, at: Position, path: RepoPath): Generator<number | null> {
  const count = commits.countAt(at);
  const prefix = `${path}/`;
  let given = -1;
  const from = count < commits.length ? commits.firstRow(count) : versions.rows;
  for (let row = from - 1; row >= 0; row -= 1) {
    const commit = versions.commit(row);
    if (commit === importedRow) return;
    const own = versions.path(row);
    const isIts = commit !== given && (own === path || own.startsWith(prefix));
    if (isIts) given = commit;
    yield isIts ? commit : null;
  }
}
