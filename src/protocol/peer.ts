// One end of a connection between two of our processes: questions with answers, and notices without. Symmetric.
// A lost connection answers every open question with `closed`; nothing is asked twice behind the caller's back.

import { type Parser, parse } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Connection } from "../host/net.ts";
import { encodeFrame, FrameDecoder } from "./frame.ts";

export interface PeerError {
  readonly kind: "peer";
  readonly code: "closed" | "too-large" | "bad-message" | "failed";
  readonly message: string;
}

export interface PeerHandlers {
  /** Answers a question. A throw is a bug here: the asker gets `failed` with its text. */
  onAsk(body: unknown): Promise<unknown>;
  onNotice(body: unknown): void;
  /** The connection is gone, for whatever reason; called once. */
  onClose(reason: string): void;
}

export interface Peer {
  ask<T>(body: object, answer: Parser<T>): Promise<Result<T, PeerError>>;
  notify(body: object): void;
  close(): void;
}

/** Questions that one side may have open at the other. */
export const asksOpenMax = 10_000;

/** Starts reading the connection at once. */
export function openPeer(connection: Connection, handlers: PeerHandlers): Peer {
  const open = new Map<number, (answer: Result<unknown, PeerError>) => void>();
  let nextId = 1;
  let closed: PeerError | null = null;

  const shut = (reason: string): void => {
    if (closed !== null) return;
    closed = { kind: "peer", code: "closed", message: reason };
    connection.close();
    for (const settle of open.values()) settle(err(closed));
    open.clear();
    handlers.onClose(reason);
  };

  const send = async (envelope: object): Promise<Result<void, PeerError>> => {
    if (closed !== null) return err(closed);
    const frame = encodeFrame(envelope);
    if (!frame.ok) return err({ kind: "peer", code: "too-large", message: frame.error.message });
    if (await connection.send(frame.value)) return ok(undefined);
    shut("the connection was closed");
    return err({ kind: "peer", code: "closed", message: "the connection was closed" });
  };

  const answer = async (id: number, body: unknown): Promise<void> => {
    let envelope: object;
    try {
      envelope = { answer: id, body: await handlers.onAsk(body) };
    } catch (error) {
      envelope = { answer: id, failed: String(error instanceof Error ? (error.stack ?? error.message) : error) };
    }
    const sent = await send(envelope);
    if (!sent.ok && sent.error.code === "too-large") await send({ answer: id, failed: sent.error.message });
  };

  const receive = (value: unknown): void => {
    const message = asEnvelope(value);
    if (message === null) return shut("the other side sent what is no message");
    if ("ask" in message) void answer(message.ask, message.body);
    else if ("notice" in message) handlers.onNotice(message.notice);
    else {
      const settle = open.get(message.answer);
      open.delete(message.answer);
      settle?.(
        message.failed === null ? ok(message.body) : err({ kind: "peer", code: "failed", message: message.failed }),
      );
    }
  };

  const read = async (): Promise<void> => {
    const decoder = new FrameDecoder();
    for await (const chunk of connection.bytes) {
      const values = decoder.push(chunk);
      if (!values.ok) return shut(values.error.message);
      for (const value of values.value) {
        // What came behind the message that ended the conversation is not heard any more.
        if (closed !== null) return;
        receive(value);
      }
    }
    shut("the other side closed the connection");
  };
  // A handler that throws is a bug here; the other side must not wait for ever for what it set out to do.
  void read().catch((error: unknown) => shut(`internal error: ${String(error)}`));

  return {
    async ask(body, parser) {
      if (closed !== null) return err(closed);
      if (open.size >= asksOpenMax)
        return err({ kind: "peer", code: "failed", message: `${asksOpenMax} questions are open` });
      const id = nextId++;
      const answered = new Promise<Result<unknown, PeerError>>((settle) => open.set(id, settle));
      const sent = await send({ ask: id, body });
      if (!sent.ok) {
        open.delete(id);
        return sent;
      }
      const reply = await answered;
      if (!reply.ok) return reply;
      const parsed = parse(parser, reply.value, "answer");
      return parsed.ok ? parsed : err({ kind: "peer", code: "bad-message", message: parsed.error.message });
    },
    notify(body) {
      void send({ notice: body });
    },
    close() {
      shut("closed here");
    },
  };
}

type Envelope =
  | { readonly ask: number; readonly body: unknown }
  | { readonly notice: unknown }
  | { readonly answer: number; readonly body: unknown; readonly failed: string | null };

function asEnvelope(value: unknown): Envelope | null {
  if (typeof value !== "object" || value === null) return null;
  const { ask, notice, answer, body, failed } = value as Record<string, unknown>;
  if (typeof ask === "number") return { ask, body };
  if (typeof answer === "number") return { answer, body, failed: typeof failed === "string" ? failed : null };
  return notice === undefined ? null : { notice };
}
