// A commit as its policies see it: the request, what the store has, and the contents that came along, each hashed at most once.

import type { BlobId, Position, RepoPath } from "../../base/ids.ts";
import { CheckedBlob } from "../../log/blob-id.ts";
import type { NewBlob } from "../../log/log.ts";
import type { Imported } from "../state.ts";
import type { CommitRequest, Entry } from "../types.ts";

export interface ProposalStore {
  readonly imported: Imported | null;
  /** The newest durable snapshot: what an answer may name. */
  readonly durable: Position;
  /** The oldest snapshot of which every content is kept. */
  readonly keptFrom: Position;
  /** The newest snapshot, durable or not. */
  readonly end: Position;
  hasBlob(id: BlobId): boolean;
  /** Whether any snapshot ever had the path. */
  knowsPath(path: RepoPath): boolean;
  /** What the newest snapshot has at the path. */
  headEntry(path: RepoPath): Entry | null;
  /** The paths of the newest snapshot below a directory: for rules that rarely ask. */
  headPaths(directory: string): Iterable<RepoPath>;
}

export class Proposal {
  readonly request: CommitRequest;
  readonly store: ProposalStore;
  readonly #sent: ReadonlyMap<BlobId, NewBlob>;
  readonly #checked = new Map<BlobId, CheckedBlob | null>();

  constructor(request: CommitRequest, store: ProposalStore) {
    this.request = request;
    this.store = store;
    this.#sent = new Map(request.blobs.map((blob) => [blob.id, blob]));
  }

  /** The content as it came along, whether or not it is what its id says; undefined if it did not. */
  sent(id: BlobId): NewBlob | undefined {
    return this.#sent.get(id);
  }

  /** The content that came along, if its bytes are those of the id. */
  content(id: BlobId): CheckedBlob | null {
    const known = this.#checked.get(id);
    if (known !== undefined) return known;
    const sent = this.#sent.get(id);
    const checked = sent === undefined ? null : CheckedBlob.of(sent);
    this.#checked.set(id, checked);
    return checked;
  }

  /** The contents that the changes name and that came along, stored already or not: what else was sent is not stored. */
  namedContents(): readonly CheckedBlob[] {
    const found = new Map<BlobId, CheckedBlob>();
    for (const change of this.request.changes) {
      if (change.kind !== "put" || change.mode === "160000") continue;
      const content = this.content(change.blob);
      if (content !== null) found.set(content.id, content);
    }
    return [...found.values()];
  }
}
