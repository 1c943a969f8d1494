// All sessions of one repository, followed. Invariant: rows are made again only when a record, a process or evidence has changed.

import type { RepositoryKey, SessionKey } from "../presence/ids.ts";
import { verdictWithoutLook } from "../presence/liveness.ts";
import type { Registry, Sessions } from "../presence/registry.ts";
import { type Around, type Row, rowsOf } from "../presence/rows.ts";
import { isSameState } from "../presence/session-state.ts";
import { type BoardRow, boardRow } from "./board-row.ts";
import { type Judged, withEvidence } from "./evidence.ts";
import { type EvidenceLook, WatchedSession } from "./watched-session.ts";

/** Of those that have ended so many records are looked at in one look. */
const coldPerLookMax = 100;
/** Rows are made again by time alone, since some verdicts depend on it. */
const agedMs = 30_000;

export class RepositoryWatch {
  readonly key: RepositoryKey;
  readonly #registry: Registry;
  readonly #sessions = new Map<SessionKey, WatchedSession>();
  /** Sessions whose end is known: they rarely change. */
  #cold: ReadonlySet<SessionKey> = new Set();
  #listedMs = -1;
  #recorded: readonly Row[] = [];
  /** When the processes of rows were last seen alive. */
  readonly #aliveAt = new Map<SessionKey, number>();
  #rows: readonly BoardRow[] = [];
  #rowsAt = 0;
  #stale = true;
  #problems: readonly string[] = [];
  #remember: Sessions["remember"] = async () => {};

  constructor(registry: Registry, key: RepositoryKey) {
    this.#registry = registry;
    this.key = key;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get rows(): readonly BoardRow[] {
    return this.#rows;
  }

  /** Reads what is new in the records; `count` is the number of the look. */
  async follow(count: number): Promise<void> {
    await this.#discover();
    const stride = Math.ceil(this.#cold.size / coldPerLookMax);
    let index = 0;
    for (const [key, session] of this.#sessions) {
      index += 1;
      if (this.#cold.has(key) && (index + count) % stride !== 0) continue;
      if (await session.follow()) this.#stale = true;
    }
  }

  /** Directories come and go only when the repository's own has changed. */
  async #discover(): Promise<void> {
    const directory = this.#registry.repositoryDirectory(this.key);
    const stat = await this.#registry.files.stat(directory);
    if (!stat.ok) {
      // Looked at anew once it can be: a directory that was moved away and back is as old as before.
      if (this.#listedMs !== -1) this.#listedMs = 0;
      if (stat.error.code === "not-found") this.#forgetAll();
      else this.#tell([`${stat.error.path}: ${stat.error.message}`]);
      return;
    }
    if (stat.value.changedMs === this.#listedMs) return;
    const first = this.#listedMs === -1;
    this.#listedMs = stat.value.changedMs;
    const keys = first ? null : await this.#registry.keysOf(this.key);
    const news = keys?.ok ? keys.value.filter((key) => !this.#sessions.has(key)) : [];
    if (keys !== null && !keys.ok) {
      this.#listedMs = 0;
      this.#tell([`${keys.error.path}: ${keys.error.message}`]);
      return;
    }
    if (!first) this.#tell([]);
    const here = new Set(keys === null ? [] : keys.value);
    for (const key of keys === null ? [] : this.#sessions.keys()) {
      if (here.has(key)) continue;
      this.#sessions.delete(key);
      this.#stale = true;
    }
    if (!first && news.length === 0) return;
    const { found, problems, remember } = await this.#registry.sessionsOf(this.key, first ? null : news);
    for (const session of found) this.#sessions.set(session.key, new WatchedSession(this.#registry, session));
    // One whose first line is not there yet is looked for again.
    if (!first && found.length < news.length) this.#listedMs = 0;
    if (first) this.#remember = remember;
    this.#problems = problems;
    this.#stale = true;
  }

  #forgetAll(): void {
    this.#stale ||= this.#sessions.size > 0;
    this.#sessions.clear();
    this.#tell([]);
  }

  /** What cannot be read is told beside what is known: it says nothing of a session. */
  #tell(problems: readonly string[]): void {
    this.#stale ||= problems.join("\n") !== this.#problems.join("\n");
    this.#problems = problems;
  }

  /** Processes that say whether sessions live. */
  pids(machine: Around["machine"]): readonly number[] {
    const pids: number[] = [];
    for (const [key, { session }] of this.#sessions) {
      const { facts, formers } = session.fold;
      if (facts === null || this.#cold.has(key)) continue;
      for (const { process, machine: recorded } of [facts, ...formers])
        if (process !== null && verdictWithoutLook(process, recorded, machine) === null) pids.push(process.pid);
    }
    return pids;
  }

  async lookForEvidence(look: EvidenceLook): Promise<void> {
    // What it says is judged at each update.
    for (const [key, session] of this.#sessions) if (!this.#cold.has(key)) await session.lookForEvidence(look);
  }

  /** True where the rows are others than before. `processesChanged`: some process is not what it was. */
  update(around: Around, processesChanged: boolean): boolean {
    const aged = Math.abs(around.now - this.#rowsAt) >= agedMs;
    const anew = this.#stale || processesChanged || aged;
    if (anew) {
      this.#stale = false;
      this.#rowsAt = around.now;
      this.#recorded = rowsOf(
        [...this.#sessions.values()].map(({ session }) => session),
        around,
      );
      this.#cold = new Set(this.#recorded.flatMap(coldKeys));
    }
    // Evidence comes to count by time, too: a client's own state is believed once a hook would have told otherwise.
    const rows = this.#recorded.map((row) => this.#shown(row, around.now));
    const changed = anew || rows.some((row, index) => !isSameShown(row, this.#rows[index]));
    if (changed) this.#rows = rows;
    return changed;
  }

  #shown(row: Row, now: number): BoardRow {
    if (row.liveness.kind === "live") this.#aliveAt.set(row.key, now);
    return boardRow(row, { judge: (one) => this.#judge(one, now), aliveAt: this.#aliveAt.get(row.key) ?? 0, now });
  }

  #judge(row: Row, now: number): Judged {
    return withEvidence(row.turn, this.#sessions.get(row.key)?.evidence ?? [], now);
  }

  /** Something was read that the rows do not show yet. */
  get stale(): boolean {
    return this.#stale;
  }

  /** Lets the next reader begin quicker. */
  remember(unique: string): Promise<void> {
    return this.#remember(unique);
  }
}

function isSameShown(a: BoardRow, b: BoardRow | undefined): boolean {
  return (
    b !== undefined &&
    isSameState(a.state, b.state) &&
    a.since === b.since &&
    a.because === b.because &&
    a.subagentsAtWork === b.subagentsAtWork
  );
}

/** A process that has gone does not come back: what is read again is only whether its session goes on in another. */
function coldKeys(row: Row): readonly SessionKey[] {
  const over = row.liveness.kind === "dead" || row.state.kind === "ended";
  const children = row.subagents.filter((child) => over || child.state.kind === "ended").map(({ key }) => key);
  return over ? [row.key, ...row.earlier, ...children] : [...row.earlier, ...children];
}
