// What a server serves: the VCS, contents in parts, and the store's upkeep. Whoever opens the store fills it in.

import type { BlobId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { Ledger } from "../../log/ledger.ts";
import type { Vcs } from "../../vcs/engine.ts";
import type { HotFile } from "../../vcs/hottest.ts";
import type { VcsLimits } from "../../vcs/limits.ts";
import type { UndoRequest } from "../../vcs/undo.ts";
import type { StoreIdentity } from "./messages.ts";

export interface ServedStore {
  readonly identity: StoreIdentity;
  readonly vcs: Vcs;
  readonly ledger: Pick<Ledger, "stopped">;
  readonly limits: VcsLimits;
  readonly contents: Contents;
  readonly upkeep: Upkeep;
}

export interface ContentError {
  readonly kind: "missing" | "damaged" | "no-space" | "io";
  readonly message: string;
}

/** Contents by id, in parts, so that a large one is never in memory whole. */
export interface Contents {
  has(id: BlobId): boolean;
  /** How many bytes it has, where that is known at once; else null. */
  bytesOf(id: BlobId): number | null;
  open(id: BlobId): Promise<Result<ContentReader, ContentError>>;
  /** Begins to store a content that comes in parts. */
  add(id: BlobId, bytes: number): Promise<Result<ContentSink, ContentError>>;
}

export interface ContentReader {
  readonly bytes: number;
  /** What this reader holds in memory. */
  readonly heldBytes: number;
  /** Its bytes were found to be those of the id. */
  readonly isChecked: boolean;
  read(offset: number, length: number): Promise<Result<Uint8Array, ContentError>>;
  close(): Promise<void>;
}

export interface ContentSink {
  write(part: Uint8Array): Promise<Result<void, ContentError>>;
  /** Durable when it answers; `damaged` where the bytes are not those of the id: nothing is kept. */
  finish(): Promise<Result<void, ContentError>>;
  abort(): Promise<void>;
}

export type Figure = { readonly name: string; readonly value: number | string | null };

export interface Stats {
  readonly figures: readonly Figure[];
  readonly hottest: readonly HotFile[];
}

export interface Upkeep {
  stats(): Promise<Stats>;
  /** Takes back landed commits. Answers with a report as JSON; an error is one that no report could be made of. */
  undo(request: UndoRequest): Promise<Result<string, string>>;
  /** `keep` null: every position. Answers with a report as JSON. */
  gc(keep: number | null): Promise<Result<string, string>>;
  /** Answers with a report as JSON. */
  fsck(): Promise<Result<string, string>>;
  /** Begins the store with a commit's tree, and so many of the commits before it. Answers with a report as JSON. */
  import(source: ImportAsk): Promise<Result<string, string>>;
}

export interface ImportAsk {
  /** A path on the server's machine. */
  readonly repository: string;
  readonly revision: string;
  /** Commits on top of the tree; null: none. */
  readonly history: number | "all" | null;
}
