// Contents that a client sends in parts, ahead of the commit that names them. Parts go to the store as they come, in order.

import type { BlobId } from "../../base/ids.ts";
import type { Problem } from "./messages.ts";
import type { ContentError, ContentSink, Contents } from "./served-store.ts";

interface Upload {
  readonly sink: ContentSink;
  readonly bytes: number;
  received: number;
  /** Everything that was received before, on its way to the store. */
  writing: Promise<void>;
  isOver: boolean;
}

export interface UploadEvents {
  /** The client may send. */
  go(id: number): void;
  done(id: number, answer: { readonly state: "here" | "stored" } | Problem): void;
}

export class Uploads {
  readonly #contents: Contents;
  readonly #openMax: number;
  readonly #events: UploadEvents;
  readonly #open = new Map<number, Upload>();
  #opening = 0;
  #isClosed = false;

  constructor(contents: Contents, openMax: number, events: UploadEvents) {
    this.#contents = contents;
    this.#openMax = openMax;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  async begin(id: number, { id: blob, bytes }: { id: BlobId; bytes: number }, fileBytesMax: number): Promise<void> {
    const { go, done } = this.#events;
    if (this.#contents.has(blob)) return done(id, { state: "here" });
    if (bytes > fileBytesMax) {
      const message = `a content of ${bytes} bytes is over this store's limit of ${fileBytesMax}`;
      return done(id, { failed: "too-large", message });
    }
    if (this.#open.size + this.#opening >= this.#openMax || this.#open.has(id)) {
      return done(id, { failed: "bad-request", message: `at most ${this.#openMax} contents are uploaded at once` });
    }
    this.#opening += 1;
    const sink = await this.#contents.add(blob, bytes);
    this.#opening -= 1;
    if (!sink.ok) return done(id, problemOf(sink.error));
    if (this.#isClosed) return sink.value.abort();
    const upload: Upload = { sink: sink.value, bytes, received: 0, writing: Promise.resolve(), isOver: false };
    this.#open.set(id, upload);
    go(id);
    if (bytes === 0) await this.#finish(id, upload);
  }

  /** Resolves when the part is written; parts of an upload that is over are passed by. */
  async part(id: number, part: Uint8Array): Promise<void> {
    const upload = this.#open.get(id);
    if (upload === undefined || upload.isOver) return;
    upload.received += part.byteLength;
    const isLast = upload.received >= upload.bytes;
    upload.writing = upload.writing.then(async () => {
      if (upload.isOver) return;
      if (upload.received > upload.bytes) return this.#fail(id, upload, tooMuch(upload.bytes));
      const written = await upload.sink.write(part);
      if (!written.ok) return this.#fail(id, upload, problemOf(written.error));
      if (isLast) await this.#finish(id, upload);
    });
    await upload.writing;
  }

  /** What is not complete is not kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, upload] of [...this.#open]) {
      upload.isOver = true;
      this.#open.delete(id);
      await upload.writing;
      await upload.sink.abort();
    }
  }

  async #finish(id: number, upload: Upload): Promise<void> {
    upload.isOver = true;
    const finished = await upload.sink.finish();
    this.#open.delete(id);
    this.#events.done(id, finished.ok ? { state: "stored" } : problemOf(finished.error));
  }

  async #fail(id: number, upload: Upload, problem: Problem): Promise<void> {
    upload.isOver = true;
    this.#open.delete(id);
    await upload.sink.abort();
    this.#events.done(id, problem);
  }
}

export function problemOf({ kind, message }: ContentError): Problem {
  switch (kind) {
    case "missing":
      return { failed: "not-found", message };
    case "damaged":
      return { failed: "damaged", message };
    case "no-space":
    case "io":
      return { failed: "store", message };
  }
}

function tooMuch(bytes: number): Problem {
  return { failed: "bad-request", message: `more than the ${bytes} bytes that were announced came` };
}
