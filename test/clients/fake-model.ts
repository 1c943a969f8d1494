// A model server for real agent clients: Anthropic's Messages, OpenAI's Responses and Chat Completions, Gemini; streamed where the client asks
// for it. Every request is kept whole; what is answered is the test's to say. As an HTTP(S) proxy it refuses, and keeps, every other host that a client tries to reach.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { anthropicAnswer, chatAnswer, framesOf, geminiAnswer, responsesAnswer, type WireAnswer } from "./wire.ts";

export interface ModelRequest {
  /** The whole body as it came. */
  readonly body: string;
  /** What people and the client wrote to the model, without system texts, results of tools, and what our hooks have said. */
  readonly user: string;
  /** Answers of the model's that are in the conversation already. */
  readonly turn: number;
  readonly tools: number;
}

export type Call =
  | { readonly name: string; readonly args: object; readonly namespace?: string }
  /** A tool of the Responses protocol that takes text. */
  | { readonly name: string; readonly input: string };

export interface Answer {
  readonly say?: string;
  readonly calls?: readonly Call[];
  /** The answer comes once this is settled; a client that was killed meanwhile gets none. */
  readonly after?: Promise<void>;
}

export interface FakeModel extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly ModelRequest[];
  /** Other hosts that were asked for. */
  readonly outside: readonly string[];
}

export async function startFakeModel(answer: (request: ModelRequest) => Answer): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const outside: string[] = [];
  const server = createServer((incoming, response) => void respond(incoming, response).catch(() => response.destroy()));
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(incoming);
    const url = incoming.url ?? "/";
    if (!url.startsWith("/")) {
      outside.push(url);
      return json(response, 403, { error: "only the model can be reached" });
    }
    const path = new URL(url, "http://127.0.0.1").pathname;
    if (path.endsWith("/count_tokens")) return json(response, 200, { input_tokens: 100 });
    if (path.endsWith(":countTokens")) return json(response, 200, { totalTokens: 100 });
    const protocol = PROTOCOLS.find(({ ending }) => ending.test(path));
    if (protocol === undefined || incoming.method !== "POST")
      return json(response, path.endsWith("/models") ? 200 : 404, { object: "list", data: [], models: [] });
    const parsed: Body = JSON.parse(body);
    const request = { body, ...protocol.read(parsed) };
    requests.push(request);
    const given = answer(request);
    await given.after;
    const { whole, events } = protocol.write(given, () => randomUUID().replaceAll("-", "").slice(0, 24));
    // Some ask for small things, such as a title, without a stream.
    if (!(parsed.stream ?? path.endsWith(":streamGenerateContent"))) return json(response, 200, whole);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const frame of framesOf(events)) response.write(frame);
    response.end();
  };
  server.on("connect", (incoming, socket) => {
    outside.push(incoming.url ?? "");
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model server has no port");
  return {
    port: address.port,
    requests,
    outside,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Protocol {
  readonly ending: RegExp;
  read(body: Body): Omit<ModelRequest, "body">;
  write(answer: Answer, id: () => string): WireAnswer;
}

/** As much of the protocols' bodies as is looked at. */
interface Body {
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
  readonly contents?: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly unknown[] }[];
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly { readonly text?: string }[];
}

interface Message {
  readonly role?: string;
  readonly type?: string;
  readonly content?: string | readonly { readonly type?: string; readonly text?: string }[];
}

const readMessages = ({ messages = [], tools = [] }: Body) => ({
  user: userTexts(messages),
  turn: messages.filter(({ role }) => role === "assistant").length,
  tools: tools.length,
});

const PROTOCOLS: readonly Protocol[] = [
  { ending: /\/v1\/messages$/, read: readMessages, write: anthropicAnswer },
  { ending: /\/chat\/completions$/, read: readMessages, write: chatAnswer },
  {
    ending: /:(?:streamGenerateContent|generateContent)$/,
    read: ({ contents = [], tools = [] }) => ({
      user: userTexts(contents.map(({ role = "", parts = [] }) => ({ role, content: parts }))),
      turn: contents.filter(({ role }) => role === "model").length,
      tools: tools.reduce((sum, { functionDeclarations = [] }) => sum + functionDeclarations.length, 0),
    }),
    write: geminiAnswer,
  },
  {
    ending: /\/responses$/,
    read: ({ input = [], tools = [] }) => ({
      user: userTexts(input),
      // One answer is several items: a text and calls that follow each other.
      turn: input.filter((item, index) => isAnswer(item) && !isAnswer(input[index - 1])).length,
      tools: tools.length,
    }),
    write: responsesAnswer,
  },
];

function isAnswer(item: Message | undefined): boolean {
  return item !== undefined && (item.role === "assistant" || /_call$|^reasoning$/.test(item.type ?? ""));
}

function userTexts(messages: readonly Message[]): string {
  const texts = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content = [] }) => (typeof content === "string" ? [content] : content.map(({ text }) => text ?? "")));
  return texts.join("\n").replace(OURS, "");
}

/** Some clients give it to the model as the person's words, where it names other sessions' tasks. */
const OURS = /Other agent sessions in this repository.*(?:\n(?:- | {2}).*)*|Session [a-z-]+ \S+ edited .*/g;

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
