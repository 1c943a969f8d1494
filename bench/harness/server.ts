// A model's server for a measurement, a process of its own: the same answers for every client, in its own tools' names, over whichever of the
// four protocols it speaks. It tells conversations apart by what stands in them, and writes down when it was asked and had answered.
// node bench/harness/server.ts <script.json>: prints its address, and on SIGTERM what it was asked as one line of JSON.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { anthropic } from "../../test/servers/anthropic.ts";
import { chat } from "../../test/servers/chat.ts";
import { gemini } from "../../test/servers/gemini.ts";
import type { Answer, Json, Protocol } from "../../test/servers/protocol.ts";
import { responses } from "../../test/servers/responses.ts";
import { sendFrames } from "../../test/servers/sending.ts";
import { type Asked, CHILD_MARK, MAIN_MARK, type PeerAnswer, type PeerScript } from "./script.ts";

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];
const script: PeerScript = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const asked: Asked[] = [];
let number = 0;

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.on("SIGTERM", () => {
  process.stdout.write(`${JSON.stringify(asked)}\n`, () => process.exit(0));
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
  const body = await bodyOf(request);
  const protocol = PROTOCOLS.find((one) => one.takes(pathname));
  if (request.method !== "POST" || protocol === undefined) return beside(pathname, response);
  const from = performance.now();
  const who = whoAsks(protocol, body);
  const answer = answerFor(who);
  if (answer.delayMs !== undefined) await delay(answer.delayMs);
  const reading = {
    model: "bench",
    system: "",
    messages: [],
    tools: [],
    outputTokensMax: 1_000,
    cacheMarkers: [],
    wantsUsage: true,
  };
  await sendFrames(response, protocol.frames(wireAnswer(answer), reading), {});
  asked.push({ ...who, fromMs: from, toMs: performance.now() });
}

type Who = Pick<Asked, "child" | "turn" | "tools">;

function whoAsks(protocol: Protocol, body: Json): Who {
  const text = JSON.stringify(body);
  const [, child = null] = text.includes(MAIN_MARK) ? [] : (new RegExp(`${CHILD_MARK}(\\d+)`).exec(text) ?? []);
  const tools = Array.isArray(body.tools) && body.tools.length > 0;
  return { child: child === null ? null : Number(child), turn: answersIn(protocol, body), tools };
}

/** How often the model has spoken in the conversation: pieces of one answer follow each other. */
function answersIn({ name }: Protocol, body: Json): number {
  const items = [body.messages, body.input, body.contents].find(Array.isArray) ?? [];
  const isOwn = (item: Json): boolean =>
    item.role === "assistant" ||
    item.role === "model" ||
    (name === "responses" && /^(function_call|reasoning)$/.test(String(item.type)));
  return items.filter((item: Json, at: number) => isOwn(item) && !(at > 0 && isOwn(items[at - 1]))).length;
}

function answerFor({ child, turn, tools }: Who): PeerAnswer {
  if (!tools) return { say: "A title" };
  const answers = child === null ? script.main : script.child;
  return answers[turn] ?? { say: "It is done." };
}

function wireAnswer({ say = "", calls = [] }: PeerAnswer): Answer {
  const usage = { inputTokens: 100, cachedTokens: 0, outputTokens: 20 };
  const given = calls.map(({ name, args }) => ({ id: `call_${++number}`, name, json: JSON.stringify(args) }));
  return {
    thinking: null,
    text: say,
    calls: given,
    stop: calls.length > 0 ? "calls" : "end",
    usage,
    interleaved: false,
  };
}

/** What clients ask besides: lists of models, counts of tokens, whether anybody is there. */
function beside(path: string, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  const counted = { input_tokens: 10, totalTokens: 10 };
  const generated = {
    candidates: [{ content: { role: "model", parts: [{ text: "{}" }] }, finishReason: "STOP", index: 0 }],
  };
  const listed = {
    object: "list",
    data: [{ id: "bench", object: "model", created: 0, owned_by: "bench" }],
    models: [],
  };
  response.end(
    JSON.stringify(path.endsWith(":generateContent") ? generated : path.includes("ount") ? counted : listed),
  );
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
