// One session's record, followed as it grows, with the evidence that its client leaves. Invariant: what has not changed is not read again.

import type { FileStat } from "../../host/files.ts";
import type { ProcessTable } from "../../host/process-table.ts";
import type { FoundSession, Registry } from "../presence/registry.ts";
import { eventsPath, type ReadSession, readOn } from "../presence/session-file.ts";
import type { Evidence, EvidenceReader, FoundEvidence } from "./evidence.ts";
import { StateFile } from "./state-file.ts";
import { TranscriptTail } from "./transcript-tail.ts";

export type Readers = ReadonlyMap<string, EvidenceReader>;

export interface EvidenceLook {
  readonly readers: Readers;
  readonly processes: ProcessTable;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Clients start hooks as processes, too; few live longer. */
const hookMsMax = 1_500;

export class WatchedSession {
  readonly #registry: Registry;
  readonly #found: Omit<FoundSession, "fold" | "offset">;
  #read: ReadSession;
  #seen: Pick<FileStat, "size" | "changedMs"> | null = null;
  #tail: { readonly path: string; readonly file: TranscriptTail } | null = null;
  #state: { readonly path: string; readonly file: StateFile } | null = null;
  #child: Evidence | null = null;

  constructor(registry: Registry, { fold, offset, ...found }: FoundSession) {
    this.#registry = registry;
    this.#found = found;
    this.#read = { fold, offset, summarized: offset };
  }

  get session(): FoundSession {
    return { ...this.#found, fold: this.#read.fold, offset: this.#read.offset };
  }

  get evidence(): readonly FoundEvidence[] {
    const said = this.#state?.file.evidence ?? null;
    const seen = (this.#tail?.file.evidence ?? []).map((evidence) => ({ evidence, source: "transcript" }) as const);
    const told = said === null ? [] : [{ evidence: said, source: "client" } as const];
    const runs = this.#child === null ? [] : [{ evidence: this.#child, source: "process" } as const];
    return [...seen, ...told, ...runs];
  }

  /** True where there are new lines. A record that cannot be read now stays what it was. */
  async follow(): Promise<boolean> {
    const { files } = this.#registry;
    const { directory } = this.#found;
    const stat = await files.stat(eventsPath(directory));
    if (!stat.ok || (this.#seen?.size === stat.value.size && this.#seen.changedMs === stat.value.changedMs))
      return false;
    const first = this.#seen === null;
    this.#seen = stat.value;
    if (first && stat.value.size === this.#read.offset) return false;
    const read = await readOn(files, directory, this.#read);
    if (!read.ok) return false;
    const changed = read.value.offset !== this.#read.offset || read.value.fold.lines !== this.#read.fold.lines;
    this.#read = read.value;
    return changed;
  }

  async lookForEvidence({ readers, processes, now }: EvidenceLook): Promise<void> {
    const { facts } = this.#read.fold;
    const reader = facts === null ? undefined : readers.get(facts.client);
    if (facts === null || reader === undefined) return;
    const { files } = this.#registry;
    const { transcript } = facts;
    if (this.#tail?.path !== transcript)
      this.#tail =
        transcript === null
          ? null
          : { path: transcript, file: new TranscriptTail(files, transcript, (line) => reader.fromTranscript(line)) };
    const path = facts.agent === null ? reader.statePath(facts) : null;
    if (this.#state?.path !== path)
      this.#state =
        path === null ? null : { path, file: new StateFile(files, path, (text) => reader.fromState(text, facts)) };
    await this.#tail?.file.look();
    await this.#state?.file.look();
    this.#child = reader.childrenAreWork ? await this.#newChild(processes, now) : null;
  }

  /** A process that was started after the session began to wait for a permission, and lives too long to be a hook. */
  async #newChild(processes: ProcessTable, now: number): Promise<Evidence | null> {
    const { facts, turn } = this.#read.fold;
    const asks = turn.state.kind === "waiting" && turn.state.reason.startsWith("permission");
    if (!asks || facts === null || facts.process === null) return null;
    const children = (await processes.children(facts.process.pid)) ?? [];
    const begun = children
      .filter(({ ageMs }) => ageMs > hookMsMax && now - ageMs > turn.since)
      .map(({ ageMs }) => now - ageMs);
    // Ages are good to a hundredth of a second: the same child must not look like another one each time.
    return begun.length === 0 ? null : { kind: "active", at: Math.round(Math.min(...begun) / 1_000) * 1_000 };
  }
}
