// A model provider's server on this machine that answers by a script: Anthropic Messages, OpenAI Responses, Chat Completions
// and Gemini, streaming, on 127.0.0.1 only. It records every request, and can fail in all the ways in which real ones do.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { nodeHost } from "../../src/adapters/node/host.ts";
import type { Script } from "../../src/adapters/script-model/format.ts";
import { unreachable } from "../../src/base/assert.ts";
import { anthropic } from "./anthropic.ts";
import type { Behaviour } from "./behaviour.ts";
import { WrongBody } from "./body.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { Identities, type Identity } from "./identity.ts";
import { frame, type Protocol, type ProtocolName, type Reading, type RefusalCode } from "./protocol.ts";
import { type Failed, failAsScripted, sendGarbage, sendJson, sendRefusal } from "./refusing.ts";
import { responses } from "./responses.ts";
import { scriptedAnswer } from "./scripted-answer.ts";
import { type Sent, sendFrames } from "./sending.ts";

const bodyBytesMax = 64 * 1024 * 1024;
const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];

export interface FakeServerOptions {
  readonly script: Script;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Any other key is refused; null takes any, and none. */
  readonly apiKey?: string | null;
  /** What is done with a request beside answering it; asked once a request, in the order of arrival. */
  readonly behave?: (request: SeenRequest) => Behaviour;
  /** More at once are answered with 429. */
  readonly concurrentMax?: number;
  /** More in any 60 seconds are answered with 429. */
  readonly perMinuteMax?: number;
  /** What a 429 of these two says to wait; 1,000 if left out. */
  readonly retryAfterMs?: number;
  readonly onAnswered?: (request: SeenRequest) => void;
}

export interface SeenRequest extends Reading, Identity {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly protocol: ProtocolName;
  readonly path: string;
  readonly key: "given" | "wrong" | "none";
  /** Without the key's. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. */
  readonly body: unknown;
  /** What became of it; null while it is being answered. */
  outcome: Sent | Failed | null;
}

export interface FakeServer {
  /** `http://127.0.0.1:<port>`: completed with `/v1` or `/v1beta` it is a base URL. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** The most requests that came within any 60 seconds. */
  mostInAMinute(): number;
  /** The most that were being answered at once. */
  mostAtOnce(): number;
  /** Breaks what is still open. */
  close(): Promise<void>;
}

export async function startFakeServer(options: FakeServerOptions): Promise<FakeServer> {
  const fake = new Fake(options);
  const server = createServer((request, response) => {
    fake.serve(request, response).catch(() => response.destroy());
  });
  const port = await listening(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    requests: fake.requests,
    mostInAMinute: () => fake.mostInAMinute(),
    mostAtOnce: () => fake.atOnceMost,
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function listening(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server on TCP has a port");
  return address.port;
}

const minuteMs = 60_000;

class Fake {
  readonly requests: SeenRequest[] = [];
  atOnceMost = 0;
  private atOnce = 0;
  private readonly options: FakeServerOptions;
  private readonly identities = new Identities();
  private readonly clock = nodeHost().clock;

  constructor(options: FakeServerOptions) {
    this.options = options;
  }

  mostInAMinute(): number {
    const times = this.requests.map(({ atMs }) => atMs);
    return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + minuteMs).length));
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const protocol = PROTOCOLS.find((one) => one.takes(path));
    if (request.method !== "POST" || protocol === undefined) return notServed(request, response, path);
    const text = await bodyOf(request);
    if (text === null) return sendJson(response, 413, protocol.refusal("bad-request", "too large", null).body);
    const seen = this.see(protocol, path, request, text);
    if (seen instanceof WrongBody)
      return sendJson(response, 400, protocol.refusal("bad-request", seen.message, null).body);
    this.atOnce++;
    this.atOnceMost = Math.max(this.atOnceMost, this.atOnce);
    try {
      seen.outcome = await this.answer(protocol, seen, response);
    } finally {
      this.atOnce--;
      this.options.onAnswered?.(seen);
    }
  }

  private see(protocol: Protocol, path: string, request: IncomingMessage, text: string): SeenRequest | WrongBody {
    const { apiKey = null } = this.options;
    try {
      const body: unknown = JSON.parse(text);
      const reading = protocol.read(body, path);
      const key = protocol.keyIn(request.headers);
      const seen: SeenRequest = {
        ...reading,
        ...this.identities.of(reading),
        number: this.requests.length + 1,
        atMs: this.clock.now(),
        protocol: protocol.name,
        path,
        key: apiKey !== null && key !== apiKey ? "wrong" : key === null || key === "" ? "none" : "given",
        headers: plainHeaders(request),
        body,
        outcome: null,
      };
      this.requests.push(seen);
      return seen;
    } catch (thrown) {
      return thrown instanceof WrongBody ? thrown : new WrongBody("the body is not JSON");
    }
  }

  private async answer(
    protocol: Protocol,
    seen: SeenRequest,
    response: ServerResponse,
  ): Promise<SeenRequest["outcome"]> {
    const refuse = (code: RefusalCode, message: string): SeenRequest["outcome"] =>
      sendRefusal(response, protocol, { code, message, retryAfterAs: "seconds" });
    if (seen.key === "wrong") return refuse("unauthorized", "this key is not the one that the server was started with");
    const { concurrentMax = Number.POSITIVE_INFINITY, perMinuteMax = Number.POSITIVE_INFINITY } = this.options;
    const lately = this.requests.filter(({ atMs }) => atMs > seen.atMs - minuteMs).length;
    if (this.atOnce > concurrentMax || lately > perMinuteMax)
      return sendRefusal(response, protocol, {
        code: "rate-limit",
        message: this.atOnce > concurrentMax ? "too many requests at once" : "too many requests a minute",
        retryAfterMs: this.options.retryAfterMs ?? 1_000,
        retryAfterAs: "seconds",
      });
    const behaviour = this.options.behave?.(seen) ?? {};
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    if (behaviour.delayMs !== undefined) await this.clock.sleep(behaviour.delayMs, gone.signal);
    if (gone.signal.aborted) return "client-gone";
    if (behaviour.hang === "before-headers") return hanging(gone.signal);
    if (behaviour.refuse !== undefined) return sendRefusal(response, protocol, behaviour.refuse);
    if (behaviour.garbage !== undefined && behaviour.garbage !== "in-stream")
      return sendGarbage(response, behaviour.garbage);
    const { script } = this.options;
    const scripted = await scriptedAnswer({
      script,
      clock: this.clock,
      reading: seen,
      identity: seen,
      number: seen.number,
      behaviour,
      signal: gone.signal,
    });
    switch (scripted.kind) {
      case "gone":
        return "client-gone";
      case "error":
        return failAsScripted(response, protocol, scripted.error);
      case "answer": {
        const frames = protocol.frames(scripted.answer, seen);
        const sent = await sendFrames(response, twisted(protocol, frames, behaviour), behaviour);
        return sent === "hanging" ? hanging(gone.signal) : sent;
      }
      default:
        return unreachable(scripted);
    }
  }
}

/** Until the client goes. */
async function hanging(gone: AbortSignal): Promise<"hanging"> {
  if (!gone.aborted) await once(gone, "abort");
  return "hanging";
}

/** An error or garbage among the frames. */
function twisted(
  protocol: Protocol,
  frames: ReturnType<Protocol["frames"]>,
  { streamError, garbage }: Behaviour,
): ReturnType<Protocol["frames"]> {
  if (garbage === "in-stream") return [...frames.slice(0, 1), frame("{not json"), ...frames.slice(1)];
  if (streamError === undefined) return frames;
  const error = protocol.errorFrame(streamError.code, streamError.message);
  return streamError.first ? [error] : [...frames.slice(0, Math.ceil(frames.length / 2)), error];
}

function notServed(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (request.method === "GET" && path.endsWith("/models"))
    return sendJson(response, 200, {
      object: "list",
      data: [{ id: "scripted", object: "model", created: 0, owned_by: "skein" }],
    });
  sendJson(response, 404, {
    error: { message: `${request.method} ${path} is not served`, type: "not_found_error", code: null },
  });
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > bodyBytesMax) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "x-api-key", "x-goog-api-key", "cookie"]);

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      SECRET_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  );
}
