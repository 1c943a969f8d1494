// A client of a store's server. A lost connection is made again and every open request is sent again: a commit under its key gets
// the first answer, reads read on. Only what the server refuses, or a server that stays away, reaches the caller as an error.

import { createHash } from "node:crypto";
import type { BlobId, ConflictId, Position, RepoPath } from "../../base/ids.ts";
import { type Parser, parse } from "../../base/parse.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Net } from "../../host/net.ts";
import { isBlobOf, objectFormatOf } from "../../log/blob-id.ts";
import type { LogQuery } from "../../vcs/log-query.ts";
import type { CommitOutcome, Entry, LandedCommit } from "../../vcs/types.ts";
import type { UndoRequest } from "../../vcs/undo.ts";
import type { StoreEvent } from "../../vcs/watch.ts";
import { commitFrame, type WireCommit } from "./commit-frame.ts";
import { contentsPart } from "./contents-part.ts";
import { eventPart } from "./event-part.ts";
import { FRAME, type Frame, packFrame, rawFrame, requestIdMax, unpackBody } from "./frame.ts";
import { historyPart } from "./history-part.ts";
import { Link, type LinkEnd } from "./link.ts";
import { listPart } from "./list-part.ts";
import {
  type Answers,
  type Ask,
  answers,
  commitAnswer,
  type Problem,
  problem,
  type ServerHello,
  type StoreIdentity,
} from "./messages.ts";
import type { Soon } from "./outbox.ts";
import type { ImportAsk } from "./served-store.ts";

export interface ClientOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly soon: Soon;
  readonly path: string;
  /** Null, the default: whichever store is served there. Asked again on each new connection. */
  readonly store?: StoreIdentity | null;
  /** How long a lost server is looked for before open requests fail. */
  readonly patienceMs?: number;
}

export type ClientError =
  /** `unreachable`: whether an open commit landed is not known; ask again with its key. */
  | LinkEnd
  | { readonly kind: "closed"; readonly message: string }
  /** What the server says of the request. */
  | { readonly kind: "failed"; readonly failed: Problem["failed"]; readonly message: string };

type Answered<T> = Promise<Result<T, ClientError>>;

export interface ListedFile extends Entry {
  readonly path: RepoPath;
}

/** The parts of a content from its beginning, each time it is called. */
export type OpenParts = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface Pending {
  /** What is sent, also on each new connection: parts that came before are told to begin anew. */
  frame(): Buffer;
  part(body: Buffer): void;
  settle(answer: Result<unknown, ClientError>): void;
}

const patienceMsDefault = 10_000;
const retryMsMin = 10;
const retryMsMax = 500;
/** Smaller contents go with their commit. */
const uploadBytesMin = 4 * 1024 * 1024;

/** Connects once; later losses are mended behind the caller's back. */
export async function openStoreClient(options: ClientOptions): Promise<Result<StoreClient, ClientError>> {
  const client = new StoreClient(options);
  const connected = await client.connect();
  return connected.ok ? ok(client) : connected;
}

export class StoreClient {
  readonly #options: ClientOptions;
  readonly #pending = new Map<number, Pending>();
  #link: Link | null = null;
  #server: ServerHello | null = null;
  #lastId = 0;
  #over: ClientError | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** What the server said of itself when it was last connected to. */
  get server(): ServerHello | null {
    return this.#server;
  }

  async connect(): Promise<Result<void, LinkEnd>> {
    const opened = await Link.open(this.#options, {
      frame: (frame) => this.#receive(frame),
      lost: (end) => void this.#mend(end),
    });
    if (!opened.ok) return opened;
    const { link, hello } = opened.value;
    if (this.#over !== null) {
      link.close();
      return ok(undefined);
    }
    this.#link = link;
    this.#server = hello;
    for (const pending of this.#pending.values()) link.send(pending.frame());
    return ok(undefined);
  }

  head(): Answered<Answers["head"]> {
    return this.#ask({ kind: "head" }, answers.head);
  }

  /** `at` null: the newest durable snapshot, also below. */
  entry(path: RepoPath, at: Position | null = null): Answered<Answers["entry"]> {
    return this.#ask({ kind: "entry", path, at }, answers.entry);
  }

  conflicts(after = 0, openOnly = false): Answered<Answers["conflicts"]> {
    return this.#ask({ kind: "conflicts", after, open_only: openOnly }, answers.conflicts);
  }

  conflict(id: ConflictId): Answered<Answers["conflict"]> {
    return this.#ask({ kind: "conflict", id }, answers.conflict);
  }

  stats(): Answered<Answers["stats"]> {
    return this.#ask({ kind: "stats" }, answers.stats);
  }

  /** `keep` null: every position. */
  gc(keep: number | null): Answered<Answers["gc"]> {
    return this.#ask({ kind: "gc", keep }, answers.gc);
  }

  fsck(): Answered<Answers["fsck"]> {
    return this.#ask({ kind: "fsck" }, answers.fsck);
  }

  import(source: ImportAsk): Answered<Answers["import"]> {
    return this.#ask({ kind: "import", ...source }, answers.import);
  }

  /** Commits that a snapshot at `from` does not show, and the snapshot that shows all of those: maybe not yet the newest. */
  async history(from: Position): Answered<{ readonly to: Position; readonly commits: readonly LandedCommit[] }> {
    let commits: LandedCommit[] = [];
    const answered = await this.#request(answers.history, (id) => ({
      frame() {
        commits = [];
        return packFrame(FRAME.ask, id, { kind: "history", from } satisfies Ask);
      },
      part(body) {
        for (const commit of historyPart(body)) commits.push(commit);
      },
    }));
    if (!answered.ok) return answered;
    const { to, commits: count } = answered.value;
    return count === commits.length ? ok({ to, commits }) : err(short(`${commits.length} of ${count} commits came`));
  }

  /** The commits that the query asks for, newest first. */
  async log({ at, agent, task, path, limit }: LogQuery): Answered<readonly LandedCommit[]> {
    let commits: LandedCommit[] = [];
    const answered = await this.#request(answers.log, (id) => ({
      frame() {
        commits = [];
        return packFrame(FRAME.ask, id, { kind: "log", at, agent, task, path, limit } satisfies Ask);
      },
      part(body) {
        for (const commit of historyPart(body)) commits.push(commit);
      },
    }));
    if (!answered.ok) return answered;
    const { commits: count } = answered.value;
    return count === commits.length ? ok(commits) : err(short(`${commits.length} of ${count} commits came`));
  }

  /** The events after a snapshot, and where to go on; where there is none, it waits so long for one. */
  async watch(
    from: Position,
    waitMs: number,
  ): Answered<{ readonly to: Position; readonly events: readonly StoreEvent[] }> {
    let events: StoreEvent[] = [];
    const answered = await this.#request(answers.watch, (id) => ({
      frame() {
        events = [];
        return packFrame(FRAME.ask, id, { kind: "watch", from, wait_ms: waitMs } satisfies Ask);
      },
      part(body) {
        for (const event of eventPart(body)) events.push(event);
      },
    }));
    if (!answered.ok) return answered;
    const { to, events: count } = answered.value;
    return count === events.length ? ok({ to, events }) : err(short(`${events.length} of ${count} events came`));
  }

  undo({ key, author, message, reason, wish }: UndoRequest): Answered<Answers["undo"]> {
    return this.#ask({ kind: "undo", key, ...author, message, reason: reason ?? null, wish }, answers.undo);
  }

  /** At most `contentsAnAskMax`. Null stands for one that is large: `blob` gives it in parts. The bytes are those of their ids. */
  async contents(ids: readonly BlobId[]): Answered<readonly (Uint8Array | null)[]> {
    let found = new Map<number, Uint8Array>();
    const answered = await this.#request(answers.contents, (id) => ({
      frame() {
        found = new Map();
        return packFrame(FRAME.ask, id, { kind: "contents", ids: [...ids] } satisfies Ask);
      },
      part(body) {
        for (const [index, bytes] of contentsPart(body)) found.set(index, bytes);
      },
    }));
    if (!answered.ok) return answered;
    const large = new Set(answered.value.large);
    const contents: (Uint8Array | null)[] = [];
    for (const [index, id] of ids.entries()) {
      const bytes = found.get(index) ?? null;
      if (bytes === null && !large.has(index)) return err(short(`the content ${id} did not come`));
      if (bytes !== null && !isBlobOf(id, bytes)) return err(short(`the bytes that came are not those of ${id}`));
      contents.push(bytes);
    }
    return ok(contents);
  }

  /** The files of a snapshot whose path begins so. */
  async list(
    at: Position | null = null,
    prefix = "",
  ): Answered<{ readonly at: Position; readonly files: readonly ListedFile[] }> {
    let files: ListedFile[] = [];
    const answered = await this.#request(answers.list, (id) => ({
      frame() {
        files = [];
        return packFrame(FRAME.ask, id, { kind: "list", at, prefix } satisfies Ask);
      },
      part(body) {
        for (const file of listPart(body)) files.push(file);
      },
    }));
    if (!answered.ok) return answered;
    const { at: position, entries } = answered.value;
    return entries === files.length
      ? ok({ at: position, files })
      : err(short(`${files.length} of ${entries} files came`));
  }

  /** A content in parts, each given to `take` as it comes; answers with its length when all came and are those of the id. */
  async blob(id: BlobId, take: (part: Uint8Array) => void): Answered<number> {
    const format = objectFormatOf(id);
    if (format === null) return err({ kind: "failed", failed: "bad-request", message: `${id} is no object id` });
    const hash = createHash(format);
    let [offset, isFirst, isBegun] = [0, true, false];
    const answered = await this.#request(answers.blob, (number) => ({
      frame() {
        isFirst = true;
        return packFrame(FRAME.ask, number, { kind: "blob", id, offset } satisfies Ask);
      },
      part(body) {
        if (isFirst) {
          isFirst = false;
          if (!isBegun && body.length === 8) hash.update(`blob ${body.readBigUInt64LE()}\0`, "latin1");
          isBegun = true;
          return;
        }
        offset += body.length;
        hash.update(body);
        take(body);
      },
    }));
    if (!answered.ok) return answered;
    if (hash.digest("hex") === id) return ok(offset);
    return err(short(`the ${offset} bytes that came are not those of ${id}`));
  }

  /** The outcome is durable when this answers. Large contents are sent ahead, in parts. */
  async commit(commit: WireCommit): Answered<CommitOutcome> {
    const unsendable = illFormed(commit);
    if (unsendable !== null) return ok(unsendable);
    const fileBytesMax = this.#server?.file_bytes_max ?? 0;
    // One that the store refuses for its size goes along, so that the commit is refused with the store's own words.
    const goesAhead = (bytes: Uint8Array) => bytes.byteLength >= uploadBytesMin && bytes.byteLength <= fileBytesMax;
    const ahead = commit.blobs.filter(({ bytes }) => goesAhead(bytes));
    for (const { id, bytes } of ahead) {
      const sent = await this.upload(id, bytes.byteLength, () =>
        partsOf(bytes, this.#server?.part_bytes ?? bytes.length),
      );
      if (!sent.ok) return sent;
    }
    const along =
      ahead.length === 0 ? commit : { ...commit, blobs: commit.blobs.filter((blob) => !ahead.includes(blob)) };
    return this.#request(commitAnswer, (id) => {
      const frame = commitFrame(id, along);
      return { frame: () => frame, part: () => undefined };
    });
  }

  /** Stores a content ahead of the commit that names it. A lost connection begins it anew. */
  async upload(blob: BlobId, bytes: number, open: OpenParts): Answered<Answers["upload"]> {
    let round = 0;
    return this.#request(answers.upload, (id) => ({
      frame() {
        round += 1;
        return packFrame(FRAME.ask, id, { kind: "upload", id: blob, bytes } satisfies Ask);
      },
      part: () => {
        const [mine, link] = [round, this.#link];
        if (link !== null) void this.#sendParts(link, id, open, () => mine === round && this.#pending.has(id));
      },
    }));
  }

  close(): void {
    this.#fail({ kind: "closed", message: "the client was closed" });
  }

  async #sendParts(link: Link, id: number, open: OpenParts, goesOn: () => boolean): Promise<void> {
    try {
      for await (const part of open()) {
        if (!goesOn()) return;
        link.send(rawFrame(FRAME.part, id, [part]));
        const room = link.room();
        if (room !== null) await room;
      }
    } catch (error) {
      const message = `the content could not be read: ${error instanceof Error ? error.message : String(error)}`;
      this.#settle(id, err({ kind: "failed", failed: "bad-request", message }));
      // The server has part of it and would wait for the rest.
      link.close();
      if (this.#link === link) void this.#mend({ kind: "unreachable", path: this.#options.path, message });
    }
  }

  #ask<T>(ask: Ask, parser: Parser<T>): Answered<T> {
    return this.#request(parser, (id) => {
      const frame = packFrame(FRAME.ask, id, ask);
      return { frame: () => frame, part: () => undefined };
    });
  }

  #request<T>(parser: Parser<T>, make: (id: number) => Omit<Pending, "settle">): Answered<T> {
    if (this.#over !== null) return Promise.resolve(err(this.#over));
    const id = this.#takeId();
    const { promise, resolve } = Promise.withResolvers<Result<T, ClientError>>();
    const pending: Pending = {
      ...make(id),
      settle(answer) {
        if (!answer.ok) return resolve(answer);
        const failure = parse(problem, answer.value, "answer");
        if (failure.ok) return resolve(err({ kind: "failed", ...failure.value }));
        const parsed = parse(parser, answer.value, "answer");
        resolve(parsed.ok ? parsed : err({ kind: "failed", failed: "internal", message: parsed.error.message }));
      },
    };
    this.#pending.set(id, pending);
    this.#link?.send(pending.frame());
    return promise;
  }

  #takeId(): number {
    do this.#lastId = this.#lastId >= requestIdMax ? 1 : this.#lastId + 1;
    while (this.#pending.has(this.#lastId));
    return this.#lastId;
  }

  #receive({ kind, id, body }: Frame): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (kind === FRAME.part) return pending.part(body);
    if (kind !== FRAME.answer) return;
    const value = unpackBody(body);
    this.#settle(id, value.ok ? value : err({ kind: "failed", failed: "internal", message: value.error }));
  }

  #settle(id: number, answer: Result<unknown, ClientError>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(answer);
  }

  /** Looks for the server again while anybody waits or until patience ends. */
  async #mend(end: LinkEnd): Promise<void> {
    this.#link = null;
    const { clock, patienceMs = patienceMsDefault } = this.#options;
    const untilMs = clock.monotonicMs() + patienceMs;
    let last = end;
    for (let pauseMs = retryMsMin; clock.monotonicMs() < untilMs; pauseMs = Math.min(2 * pauseMs, retryMsMax)) {
      await clock.sleep(pauseMs);
      if (this.#over !== null) return;
      const connected = await this.connect();
      if (connected.ok) return;
      last = connected.error;
    }
    this.#fail(last);
  }

  #fail(error: ClientError): void {
    this.#over ??= error;
    this.#link?.close();
    this.#link = null;
    for (const id of [...this.#pending.keys()]) this.#settle(id, err(this.#over));
  }
}

/** What UTF-8 cannot carry would arrive as something else: two different paths as one. The store refuses it with the same words. */
function illFormed({ key, author, message, reason = "", reads = [], changes }: WireCommit): CommitOutcome | null {
  const isBad = (text: string): boolean => !text.isWellFormed();
  const path = changes.map((change) => change.path).find(isBad) ?? reads.find(isBad);
  const refused = (policy: string, what: string): CommitOutcome => {
    return { kind: "refused", policy, reason: `${what}: it is not well-formed Unicode` };
  };
  if (path !== undefined) return refused("path", JSON.stringify(path));
  const others = { key, agent: author.agent, task: author.task, message, reason };
  const bad = Object.entries(others).find(([, text]) => isBad(text));
  return bad === undefined ? null : refused("text", `The ${bad[0]} cannot be sent`);
}

function* partsOf(bytes: Uint8Array, partBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

function short(message: string): ClientError {
  return { kind: "failed", failed: "damaged", message };
}
