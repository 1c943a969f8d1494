// Errors over HTTP: which code each becomes, how long the provider asks to wait, and that no key is in any text.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ask, KEY, KINDS, model, serve } from "../../../test/servers/asking.ts";
import type { Behaviour } from "../../../test/servers/behaviour.ts";
import type { ModelError } from "../../model/provider.ts";
import { StillClock } from "../../testing/agent/rig.ts";
import { readErrorBody } from "./error-body.ts";
import type { AiSdkKind } from "./kinds.ts";
import { retryAfterMs } from "./retry-after.ts";

const SCRIPT = "rules: [{say: hello}]";

type Refuse = NonNullable<Behaviour["refuse"]>;

async function refused(refuse: Omit<Refuse, "retryAfterAs"> & Partial<Refuse>): Promise<readonly ModelError["code"][]> {
  await using server = await serve(SCRIPT, { behave: { refuse: { retryAfterAs: "seconds", ...refuse } } });
  const asked = await Promise.all(KINDS.map((kind) => ask(model(kind, server.url))));
  return asked.flatMap(({ error }) => (error === null ? [] : [error.code]));
}

const all = (code: ModelError["code"]) => KINDS.map(() => code);

test.each<[string, Parameters<typeof refused>[0], ModelError["code"]]>([
  ["the refusal of a key", { code: "unauthorized" }, "unauthorized"],
  ["a bare 401", { code: "other", status: 401, message: "" }, "unauthorized"],
  ["the protocol's own word for a used-up quota", { code: "quota" }, "quota"],
  ["a used-up quota as 403, which is no bad key,", { code: "quota", status: 403 }, "quota"],
  [
    "a 403 whose text speaks of billing",
    { code: "other", status: 403, message: "Billing is not enabled for this project." },
    "quota",
  ],
  [
    "a 403 whose text speaks of something else",
    { code: "other", status: 403, message: "This country is not served." },
    "unauthorized",
  ],
  ["a 402", { code: "other", status: 402, message: "Payment Required" }, "quota"],
  [
    "a 400 about the credit balance",
    { code: "bad-request", message: "Your credit balance is too low to access the API." },
    "quota",
  ],
  ["too many requests", { code: "rate-limit" }, "rate-limit"],
  [
    "too many requests with a text that names a quota",
    { code: "rate-limit", message: "You exceeded your current quota, please check your plan." },
    "rate-limit",
  ],
  ["overload", { code: "overloaded" }, "overloaded"],
  ["a bare 529", { code: "other", status: 529 }, "overloaded"],
  ["a bare 503", { code: "other", status: 503 }, "overloaded"],
  ["a wrong request", { code: "bad-request" }, "bad-request"],
  ["an unknown model", { code: "not-found" }, "not-found"],
  ["a body that is too large", { code: "other", status: 413 }, "bad-request"],
  ["a fault of the server", { code: "other" }, "other"],
  ["a bad gateway", { code: "other", status: 502 }, "other"],
])("%s has one code on every protocol", async (_name, refuse, code) => {
  expect(await refused(refuse)).toEqual(all(code));
});

test("the provider's text is the message, after the status", async () => {
  await using server = await serve(SCRIPT, {
    behave: {
      refuse: { code: "not-found", message: "model: test-model\u0007 does not exist", retryAfterAs: "seconds" },
    },
  });
  const { error } = await ask(model("anthropic", server.url));
  expect(error).toEqual({
    kind: "model",
    code: "not-found",
    message: "status 404: model: test-model\ufffd does not exist",
    retryAfterMs: null,
    uncharged: true,
  });
});

test("a page of HTML in the place of an error shows its title only", async () => {
  const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad</h1></body></html>";
  const answer: typeof fetch = async () => new Response(page, { status: 502 });
  const { error } = await ask(model("openai-compatible", "http://127.0.0.1:9", { fetch: answer }));
  expect(error?.message).toBe("status 502: a page of HTML: 502 Bad Gateway");
});

test.each<[Refuse["retryAfterAs"], readonly AiSdkKind[]]>([
  ["seconds", KINDS],
  ["ms", KINDS],
  ["retry-info", ["google"]],
])("H18 the time to wait is read as %s", async (as, kinds) => {
  await using server = await serve(SCRIPT, {
    behave: { refuse: { code: "rate-limit", retryAfterMs: 2_500, retryAfterAs: as } },
  });
  const asked = await Promise.all(kinds.map((kind) => ask(model(kind, server.url))));
  expect(asked.map(({ error }) => [error?.code, error?.retryAfterMs])).toEqual(kinds.map(() => ["rate-limit", 2_500]));
});

test("the forms of Retry-After, by RFC 9110 and google.rpc.RetryInfo", () => {
  const clock = new StillClock();
  // The still clock stands one second after the epoch.
  const date = "Thu, 01 Jan 1970 00:01:01 GMT";
  const cases: readonly [Readonly<Record<string, string>>, string | null][] = [
    [{ "retry-after": "120" }, null],
    [{ "retry-after": "0.25" }, null],
    [{ "retry-after": date }, null],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, null],
    [{ "retry-after": "30", "retry-after-ms": "1500.2" }, null],
    [{}, "34.074824224s"],
    [{ "retry-after": "7" }, "34s"],
    [{}, null],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "99999999999" }, null],
  ];
  expect(cases.map(([headers, delay]) => retryAfterMs(headers, delay, clock))).toEqual([
    120_000,
    250,
    60_000,
    0,
    1_501,
    34_075,
    7_000,
    null,
    null,
    null,
    null,
  ]);
});

test("nothing is asked twice: one request to the server, whatever it answers", async () => {
  for (const refuse of ["rate-limit", "overloaded", "other"] as const) {
    await using server = await serve(SCRIPT, { behave: { refuse: { code: refuse, retryAfterAs: "seconds" } } });
    await Promise.all(KINDS.map((kind) => ask(model(kind, server.url))));
    expect(server.requests.length).toBe(KINDS.length);
  }
});

test("a server that is not there is a failed connection", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const asked = await Promise.all(KINDS.map((kind) => ask(model(kind, `http://127.0.0.1:${port}`))));
  expect(asked.map(({ error }) => error)).toEqual(
    KINDS.map(() => ({
      kind: "model",
      code: "unreachable",
      message: `the connection failed: connect ECONNREFUSED 127.0.0.1:${port}`,
      retryAfterMs: null,
    })),
  );
});

test("a host without an address is a failed connection", async () => {
  // As Node's fetch says it.
  const missing = Object.assign(new Error("getaddrinfo ENOTFOUND models.invalid"), { code: "ENOTFOUND" });
  const failing: typeof fetch = async () => Promise.reject(new TypeError("fetch failed", { cause: missing }));
  const { error } = await ask(model("openai", "http://models.invalid", { fetch: failing }));
  expect([error?.code, error?.message]).toEqual([
    "unreachable",
    "the connection failed: getaddrinfo ENOTFOUND models.invalid",
  ]);
});

test("a redirect is not followed: key and prompt stay with the host that was named", async () => {
  await using elsewhere = await serve(SCRIPT);
  await using server = await serve(SCRIPT, {
    behave: {
      refuse: {
        code: "other",
        status: 307,
        message: "",
        headers: { location: `${elsewhere.url}/v1/messages` },
        retryAfterAs: "seconds",
      },
    },
  });
  const asked = await Promise.all(KINDS.map((kind) => ask(model(kind, server.url))));
  expect([asked.map(({ end }) => end), elsewhere.requests]).toEqual([all("not-found"), []]);
});

test("a key is in no error, though the provider repeats it", async () => {
  const other = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAA";
  const texts = [
    `Incorrect API key provided: ${KEY}.`,
    `bad header Authorization: Bearer ${KEY}`,
    `upstream said ${other} is blocked`,
    `GET https://host/v1?key=${KEY}&alt=sse failed`,
  ];
  for (const message of texts) {
    await using server = await serve(SCRIPT, {
      behave: { refuse: { code: "unauthorized", message, retryAfterAs: "seconds" } },
    });
    const inStream = await serve(SCRIPT, { behave: { streamError: { code: "other", message, first: false } } });
    const asked = await Promise.all(
      KINDS.flatMap((kind) => [ask(model(kind, server.url)), ask(model(kind, inStream.url))]),
    );
    await inStream.close();
    const shown = JSON.stringify(asked.map(({ error }) => error));
    expect([shown.includes(KEY), shown.includes(other), shown.includes("[key removed]")]).toEqual([false, false, true]);
  }
});

test("the key goes where each provider wants it, and none is sent where there is none", async () => {
  await using server = await serve(SCRIPT, { apiKey: KEY });
  await using open = await serve(SCRIPT);
  await Promise.all(KINDS.map((kind) => ask(model(kind, server.url))));
  await ask(model("openai-compatible", open.url, { apiKey: null }));
  const wrong = await ask(model("openai-compatible", server.url, { apiKey: null }));
  expect([server.requests.slice(0, -1).map(({ key }) => key), open.requests.map(({ key }) => key), wrong.end]).toEqual([
    KINDS.map(() => "given"),
    ["none"],
    "unauthorized",
  ]);
});

test("bodies of other servers are read too", () => {
  const bodies = [
    '{"detail":"Not Found"}',
    '{"object":"error","message":"max_model_len is 4096","type":"BadRequestError","code":400}',
    '[{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]',
    '{"error":"model \\"llama9\\" not found"}',
    "upstream timed out",
    "",
  ];
  expect(
    bodies.map((body) => readErrorBody(body)).map(({ message, meaning, status }) => [message, meaning, status]),
  ).toEqual([
    ["Not Found", null, null],
    ["max_model_len is 4096", null, 400],
    ["Resource exhausted", "rate-limit", 429],
    ['model "llama9" not found', null, null],
    ["upstream timed out", null, null],
    ["", null, null],
  ]);
});
