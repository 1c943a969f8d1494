// `fetch` over Node's http and https, as far as the SDK asks for it: a request with a text, an answer that streams. Node's own takes some 30 ms
// to load, and ends an answer whose headers take five minutes. Invariants: a redirect is an answer and is never followed; what goes wrong
// has the form that Node's `fetch` gives it. Where Node is told to use proxies, Node's own asks.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { PlainHeaders } from "./headers.ts";

/** Until a connection stands, its TLS included. */
const connectMsMax = 10_000;
/** How long a connection is kept for the next request where the server does not say; the usual of Node's `fetch`. */
const idleMsMax = 4_000;

export type Fetch = typeof globalThis.fetch;

interface Sender {
  readonly request: (url: URL, options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
  readonly usesProxy: boolean;
}

const senders = new Map<string, Sender>();

export const httpFetch: Fetch = async (input, init = {}) => {
  const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
  const sender = senderFor(url.protocol);
  return sender.usesProxy ? globalThis.fetch(input, init) : send(sender, url, init);
};

/** Loads what a request to an address with this begin (`https:`) needs. */
export function senderFor(protocol: string): Sender {
  const known = senders.get(protocol);
  if (known !== undefined) return known;
  // An import would touch everything that the module has, Node's `fetch` among it.
  const made = senderOf(process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http"));
  senders.set(protocol, made);
  return made;
}

function senderOf(module: typeof import("node:https") | typeof import("node:http")): Sender {
  const agent = new module.Agent({ keepAlive: true, timeout: idleMsMax });
  const { options = {} } = module.globalAgent as { readonly options?: { readonly proxyEnv?: unknown } };
  // The first releases of Node 24 read the variable for `fetch` alone.
  const usesProxy = process.env.NODE_USE_ENV_PROXY === "1" || options.proxyEnv !== undefined;
  return { request: module.request, agent, usesProxy };
}

function send({ request, agent }: Sender, url: URL, init: RequestInit): Promise<Response> {
  const { method = "GET", body = null, signal = null } = init;
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  if (body !== null && typeof body !== "string") return Promise.reject(new TypeError("only a text can be sent"));
  const bytes = Buffer.from(body ?? "");
  const given = new PlainHeaders(init.headers as ConstructorParameters<typeof PlainHeaders>[0]);
  const headers = {
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
    "content-length": bytes.byteLength,
    ...Object.fromEntries(given),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers });
    const abort = (): void => void sent.destroy(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    let failure: Error | null = null;
    const broken = (message: string, error: Error): unknown =>
      signal?.aborted === true ? signal.reason : new TypeError(message, { cause: failure ?? error });
    limitConnecting(sent, url);
    sent.on("error", (error) => {
      failure ??= error;
      // After the answer has begun it is its stream that says it.
      reject(broken("fetch failed", error));
    });
    sent.once("close", () => signal?.removeEventListener("abort", abort));
    sent.once("response", (response) => {
      decoded(response).then(
        (source) =>
          resolve(
            responseOf(
              response,
              streamOf(source, (error) => broken("terminated", error)),
              url,
            ),
          ),
        reject,
      );
    });
    sent.end(bytes);
  });
}

function limitConnecting(sent: ClientRequest, url: URL): void {
  const late = setTimeout(() => {
    const error = new Error(`no connection to ${url.host} within ${connectMsMax / 1_000} s`);
    sent.destroy(Object.assign(error, { code: "ETIMEDOUT", syscall: "connect" }));
  }, connectMsMax);
  const stands = (): void => clearTimeout(late);
  sent.once("socket", (socket) => {
    if (socket.connecting) socket.once(url.protocol === "https:" ? "secureConnect" : "connect", stands);
    else stands();
  });
  sent.once("close", stands);
}

/** The body as it was before it was packed. */
async function decoded(response: IncomingMessage): Promise<Readable> {
  const encodings = (response.headers["content-encoding"] ?? "").toLowerCase();
  if (encodings === "" || encodings === "identity") return response;
  const zlib = await import("node:zlib");
  // What has come is handed on at once, and an end that is torn is for whoever reads to find.
  const flushed = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const { BROTLI_OPERATION_FLUSH: flush } = zlib.constants;
  const unpacking = {
    gzip: () => zlib.createGunzip(flushed),
    "x-gzip": () => zlib.createGunzip(flushed),
    deflate: () => zlib.createInflate(flushed),
    br: () => zlib.createBrotliDecompress({ flush, finishFlush: flush }),
  }[encodings];
  if (unpacking === undefined)
    throw new TypeError(`the answer is packed in a way that was not asked for: ${encodings}`);
  const unpacked = unpacking();
  response.on("error", (error) => unpacked.destroy(error));
  unpacked.on("close", () => response.destroy());
  return response.pipe(unpacked);
}

/** `reason` knows why the connection ended where the stream only knows that it did. */
function streamOf(source: Readable, reason: (error: Error) => unknown): ReadableStream<Uint8Array> {
  let over = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      source.on("data", (chunk: Uint8Array) => {
        if (over) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) source.pause();
      });
      source.once("end", () => {
        if (!over) controller.close();
        over = true;
      });
      const broken = (error: Error): void => {
        if (over) return;
        over = true;
        controller.error(reason(error));
      };
      source.on("error", broken);
      source.once("close", () => broken(Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" })));
    },
    pull: () => void source.resume(),
    cancel: () => {
      over = true;
      source.destroy();
    },
  });
}

function responseOf(response: IncomingMessage, body: ReadableStream<Uint8Array>, url: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = response;
  const fields = Object.entries(response.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const text = async (): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return new TextDecoder().decode(Buffer.concat(chunks));
  };
  // The rest of `Response` is for browsers, and for those who ask for more than an answer's text.
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: new PlainHeaders(fields) as Iterable<[string, string]> as Headers,
    url: url.href,
    redirected: false,
    type: "basic",
    body,
    text,
  } as Response;
}
