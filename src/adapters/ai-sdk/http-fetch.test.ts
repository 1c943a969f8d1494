// Our `fetch` beside Node's on the same servers: whatever one of them does of what the SDK asks, so does the other.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Fetch, httpFetch } from "./http-fetch.ts";
import { networkCause } from "./network-cause.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server for the time of a test. */
async function serving(handler: Handler) {
  let connections = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    response.on("close", () => {
      if (!response.writableEnded) closed.resolve();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    handler(request, response, Buffer.concat(chunks).toString("utf8"));
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/messages`,
    connections: () => connections,
    /** A client went away before its answer had ended. */
    closed: closed.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const post = {
  method: "POST",
  headers: { "Content-Type": "application/json", "x-api-key": "k" },
  redirect: "manual",
} as const;

const seen = (error: unknown) => {
  const { name, message } = error as Error;
  return { name, message, network: networkCause(error)?.code ?? null };
};
const thrownBy = (asked: Promise<unknown>) => asked.then(() => "nothing was thrown", seen);

describe.each<[string, Fetch]>([
  ["ours", httpFetch],
  ["Node's", globalThis.fetch],
])("%s", (_name, ask) => {
  test("sends the text and its headers; status, headers and text of the answer", async () => {
    await using server = await serving((request, response, body) => {
      const { "content-type": type, "content-length": length, "x-api-key": key } = request.headers;
      response.writeHead(
        429,
        "Slow down",
        [
          ["Retry-After", "7"],
          ["X-Many", "a"],
          ["X-Many", "b"],
        ].flat(),
      );
      response.end(JSON.stringify({ method: request.method, url: request.url, type, length, key, body }));
    });
    const answer = await ask(server.url, { ...post, body: '{"a":"ü"}' });
    const headers = Object.fromEntries([...answer.headers]);
    expect([answer.ok, answer.status, answer.statusText, headers["retry-after"], headers["x-many"]]).toEqual([
      false,
      429,
      "Slow down",
      "7",
      "a, b",
    ]);
    expect(JSON.parse(await answer.text())).toEqual({
      method: "POST",
      url: "/v1/messages",
      type: "application/json",
      length: "10",
      key: "k",
      body: '{"a":"ü"}',
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("an answer that is packed (%s) is unpacked", async (encoding, pack) => {
    const text = "data: wörd\n\n".repeat(10_000);
    await using server = await serving((_, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(pack(text));
    });
    expect(await (await ask(server.url, { ...post, body: "" })).text()).toBe(text);
  });

  test("a packed stream is handed on as it comes", async () => {
    const goOn = Promise.withResolvers<void>();
    await using server = await serving(async (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/event-stream" });
      const packed = createGzip();
      packed.pipe(response);
      packed.write("first");
      packed.flush();
      await goOn.promise;
      packed.end("last");
    });
    const reader = (await ask(server.url, { ...post, body: "" })).body?.getReader();
    const texts: string[] = [];
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      texts.push(new TextDecoder().decode(read.value));
      goOn.resolve();
    }
    expect(texts).toEqual(["first", "last"]);
  });

  test("a redirect is an answer, and nobody follows it", async () => {
    const asked: (string | undefined)[] = [];
    await using server = await serving((request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const answer = await ask(server.url, { ...post, body: "{}" });
    await answer.text();
    expect([answer.status, answer.headers.get("location"), asked]).toEqual([307, "/elsewhere", ["/v1/messages"]]);
  });

  test("an abort before it is sent, before the answer and within it ends it, and the server sees that", async () => {
    const early = await thrownBy(ask("http://127.0.0.1:9", { ...post, signal: AbortSignal.abort() }));
    const waiting = new AbortController();
    const within = new AbortController();
    await using silent = await serving(() => waiting.abort());
    const before = await thrownBy(ask(silent.url, { ...post, body: "{}", signal: waiting.signal }));
    await silent.closed;
    await using talking = await serving((_, response) => void response.writeHead(200).write("one"));
    const answer = await ask(talking.url, { ...post, body: "{}", signal: within.signal });
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one");
    within.abort();
    const inside = await thrownBy(Promise.resolve(reader?.read()));
    await talking.closed;
    const aborted = { name: "AbortError", message: "This operation was aborted", network: null };
    expect([early, before, inside]).toEqual([aborted, aborted, aborted]);
  });

  test("a reader who goes away ends the connection", async () => {
    await using server = await serving((_, response) => void response.writeHead(200).write("one"));
    const reader = (await ask(server.url, { ...post, body: "{}" })).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await server.closed;
  });

  test("no connection, one that breaks before the answer and one that breaks within it are told apart", async () => {
    const { url } = await serving(() => {}).then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    const none = await thrownBy(ask(url, { ...post, body: "{}" }));
    await using breaking = await serving((request) => void request.socket.destroy());
    const before = await thrownBy(ask(breaking.url, { ...post, body: "{}" }));
    await using cutting = await serving((request, response) => {
      response.writeHead(200);
      response.write("one", () => request.socket.destroy());
    });
    const answer = await ask(cutting.url, { ...post, body: "{}" });
    const within = await thrownBy(answer.text());
    expect([none, before, within]).toEqual([
      { name: "TypeError", message: "fetch failed", network: "unreachable" },
      { name: "TypeError", message: "fetch failed", network: "network" },
      { name: "TypeError", message: "terminated", network: "network" },
    ]);
  });
});

test("requests one after another go over one connection", async () => {
  await using server = await serving((_, response) => void response.end("{}"));
  for (let number = 0; number < 3; number += 1) await (await httpFetch(server.url, { ...post, body: "{}" })).text();
  expect(server.connections()).toBe(1);
});

test("where Node is told to use proxies, requests go through them", async () => {
  const asked: (string | undefined)[] = [];
  // A tunnel is refused: that it was asked for is all there is to see.
  const proxy = createServer().on("connect", ({ url }, socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  await using direct = await serving((_, response) => void response.end("directly"));
  const script = `import { httpFetch } from ${JSON.stringify(new URL("./http-fetch.ts", import.meta.url).href)};
    const asked = httpFetch(${JSON.stringify(direct.url)}, { method: "POST", body: "{}" });
    console.log(await asked.then((answer) => answer.text(), () => "not at all"));`;
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const run = async (more: Readonly<Record<string, string>>) => {
    const args = ["--input-type=module", "-e", script];
    return (await promisify(execFile)(process.execPath, args, { env: { HTTP_PROXY, ...more } })).stdout.trim();
  };
  const said = await Promise.all([run({}), run({ NODE_USE_ENV_PROXY: "1" }), run({ NODE_OPTIONS: "--use-env-proxy" })]);
  proxy.close();
  const { host } = new URL(direct.url);
  expect([said, asked]).toEqual([
    ["directly", "not at all", "not at all"],
    [host, host],
  ]);
});

test("a connection that does not come about in time is one that could not be reached", () => {
  const late = Object.assign(new Error("no connection"), { code: "ETIMEDOUT", syscall: "connect" });
  const broken = Object.assign(new Error("read"), { code: "ETIMEDOUT", syscall: "read" });
  expect([late, broken].map((error) => networkCause(new TypeError("fetch failed", { cause: error }))?.code)).toEqual([
    "unreachable",
    "network",
  ]);
});
