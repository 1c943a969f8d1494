// A worker host's side of the conversation with the coordinator: typed questions, and blobs through them.

import type { BlobId, Position, RepoPath } from "../../base/ids.ts";
import { type Parser, parse } from "../../base/parse.ts";
import { type Result, unwrap } from "../../base/result.ts";
import { type Answers, answers, type HostAsk } from "../../protocol/messages.ts";
import type { Peer, PeerError } from "../../protocol/peer.ts";
import type { BlobSource, Entry, Manifest } from "../../vcs/types.ts";

/** The connection to the coordinator is gone or broken: this host's leases have ended and its agents stop. */
export class CoordinatorLost extends Error {
  constructor(cause: PeerError) {
    super(`the coordinator cannot be reached: ${cause.message}`, { cause });
  }
}

/** The coordinator is there and did not answer this question: it failed there, or the answer cannot be read. */
export class AskFailed extends Error {
  constructor(ask: HostAsk["kind"], cause: PeerError) {
    super(`the coordinator gave no answer to ${ask} (${cause.code}): ${cause.message}`, { cause });
  }
}

/** Questions that carry contents, and may be answered with a refusal. */
const contentKinds = new Set<HostAsk["kind"]>(["commit", "handoff", "resolve"]);

export class CoordinatorClient implements BlobSource {
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /**
   * Rejects with CoordinatorLost or AskFailed: no agent can go on without its coordinator, so one place catches them per job.
   * Contents too large to be sent are as good as refused: the agent can act on that.
   */
  async ask<K extends HostAsk["kind"]>(ask: Extract<HostAsk, { kind: K }>): Promise<Answers[K]> {
    const parser = answers[ask.kind] as unknown as Parser<Answers[K]>;
    const answer: Result<Answers[K], PeerError> = await this.#peer.ask(ask, parser);
    if (answer.ok) return answer.value;
    const { code, message } = answer.error;
    if (code === "closed") throw new CoordinatorLost(answer.error);
    if (code !== "too-large" || !contentKinds.has(ask.kind)) throw new AskFailed(ask.kind, answer.error);
    return unwrap(parse(parser, { kind: "refused", reason: `too much at once: ${message}` }, "answer"), "a refusal");
  }

  activity(agent: Extract<HostAsk, { kind: "commit" }>["lease"]["agent"], line: string): void {
    this.#peer.notify({ kind: "activity", agent, line: line.slice(0, 500) });
  }

  /** Leaves the coordinator, which ends this host's leases. */
  leave(): void {
    this.#peer.close();
  }

  beat(): void {
    this.#peer.notify({ kind: "beat" });
  }

  async manifest(at: Position): Promise<Manifest> {
    const { entries } = await this.ask({ kind: "tree", at });
    return new Map<RepoPath, Entry>(entries.map(({ path, blob, mode }) => [path, { blob, mode }]));
  }

  /** Asks on until every blob is here: an answer may stop early at its size limit. */
  async get(ids: readonly BlobId[]): Promise<readonly Uint8Array[]> {
    const found: Uint8Array[] = [];
    while (found.length < ids.length) {
      const { blobs } = await this.ask({ kind: "blobs", ids: ids.slice(found.length, found.length + 256) });
      if (blobs.length === 0) throw new Error(`the coordinator has no blob ${ids[found.length]}`);
      found.push(...blobs);
    }
    return found;
  }
}
