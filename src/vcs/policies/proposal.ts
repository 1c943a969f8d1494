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
  /** A name of the newest snapshot that is the path's, or of a directory above it, but for case; see `CaseIndex`. */
  sameButCase(path: RepoPath, isLeft: (file: RepoPath) => boolean): string | null;
  /** Whether the newest snapshot has a file at the path. */
  stands(path: RepoPath): boolean;
  /** What the newest snapshot has at the path. */
  headEntry(path: RepoPath): Entry | null;
  /** The paths of the newest snapshot below a directory: for rules that rarely ask. */
  headPaths(directory: string): Iterable<RepoPath>;
}

/** A content that came along; `checked` once it was hashed, null where its bytes are not those of its id. */
interface Sent {
  readonly blob: NewBlob;
  checked: CheckedBlob | null | undefined;
}

function distinct(contents: readonly CheckedBlob[]): readonly CheckedBlob[] {
  if (contents.length > fewContents) return [...new Set(contents)];
  return contents.every((content, at) => contents.indexOf(content) === at)
    ? contents
    : contents.filter((content, at) => contents.indexOf(content) === at);
}

/** Found one by one sooner than in a Map. */
const fewContents = 8;

export class Proposal {
  readonly request: CommitRequest;
  readonly store: ProposalStore;
  readonly #sent: readonly Sent[];
  readonly #byId: ReadonlyMap<BlobId, Sent> | null;

  constructor(request: CommitRequest, store: ProposalStore) {
    this.request = request;
    this.store = store;
    this.#sent = request.blobs.map((blob) => ({ blob, checked: undefined }));
    this.#byId = this.#sent.length <= fewContents ? null : new Map(this.#sent.map((sent) => [sent.blob.id, sent]));
  }

  /** Of all that came along. */
  get sentBytes(): number {
    let sum = 0;
    for (const { blob } of this.#sent) sum += blob.bytes.byteLength;
    return sum;
  }

  /** The content as it came along, whether or not it is what its id says; undefined if it did not. */
  sent(id: BlobId): NewBlob | undefined {
    return this.#find(id)?.blob;
  }

  /** The content that came along, if its bytes are those of the id. */
  content(id: BlobId): CheckedBlob | null {
    const sent = this.#find(id);
    if (sent === undefined) return null;
    if (sent.checked === undefined) sent.checked = CheckedBlob.of(sent.blob);
    return sent.checked;
  }

  /** The contents that the changes name and that came along, stored already or not: what else was sent is not stored. */
  namedContents(): readonly CheckedBlob[] {
    const { changes } = this.request;
    const found: CheckedBlob[] = [];
    for (const change of changes) {
      if (change.kind !== "put" || change.mode === "160000") continue;
      const content = this.content(change.blob);
      if (content !== null) found.push(content);
    }
    return found.length <= 1 ? found : distinct(found);
  }

  /** Of several with one id the last counts. */
  #find(id: BlobId): Sent | undefined {
    if (this.#byId !== null) return this.#byId.get(id);
    for (let at = this.#sent.length - 1; at >= 0; at -= 1) if (this.#sent[at]?.blob.id === id) return this.#sent[at];
    return undefined;
  }
}
