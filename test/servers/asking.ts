// Asking the fake servers through the real adapters: one model of each kind, and what came of a request.

import type { AiSdkKind } from "../../src/adapters/ai-sdk/kinds.ts";
import { type AiSdkSettings, openAiSdkModel } from "../../src/adapters/ai-sdk/provider.ts";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { parseScript } from "../../src/adapters/script-model/format.ts";
import { asAgentId } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import type { ToolCall } from "../../src/model/message.ts";
import type { ModelError, ModelRequest, Provider, StreamEvent } from "../../src/model/provider.ts";
import type { Usage } from "../../src/model/usage.ts";
import type { Behaviour } from "./behaviour.ts";
import { type FakeServer, type FakeServerOptions, type SeenRequest, startFakeServer } from "./server.ts";

export const KINDS: readonly AiSdkKind[] = ["anthropic", "openai", "openai-chat", "google", "openai-compatible"];

export const KEY = "sk-test-0123456789abcdef";

/** A server for the time of a test: `await using` closes it. */
export async function serve(
  yaml: string,
  options: Omit<FakeServerOptions, "script" | "behave"> & {
    readonly behave?: Behaviour | ((request: SeenRequest) => Behaviour);
  } = {},
): Promise<FakeServer & AsyncDisposable> {
  const { behave = {}, ...rest } = options;
  const script = unwrap(parseScript(yaml, "test.yaml"), "script");
  const server = await startFakeServer({
    ...rest,
    script,
    behave: typeof behave === "function" ? behave : () => behave,
  });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

export function model(kind: AiSdkKind, baseUrl: string, settings: Partial<AiSdkSettings> = {}): Provider {
  const { clock } = nodeHost();
  return unwrap(
    openAiSdkModel({ kind, model: "test-model", apiKey: KEY, baseUrl, price: null, clock, ...settings }),
    kind,
  );
}

export function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    context: { agent: asAgentId("a1"), parent: null, role: "solo", task: null, taskKeys: [], turn: 1 },
    system: "You test.",
    messages: [{ role: "user", text: "go" }],
    tools: [
      {
        name: "look",
        description: "Looks.",
        inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
    ],
    outputTokensMax: 1_000,
    ...changes,
  };
}

export interface Asked {
  readonly text: string;
  readonly calls: readonly Pick<ToolCall, "name" | "arguments">[];
  /** The last event, without what it carries. */
  readonly end: "end" | "calls" | "length" | "aborted" | ModelError["code"];
  readonly error: ModelError | null;
  readonly usage: Usage | null;
}

export async function ask(
  provider: Provider,
  changes: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Asked> {
  const events: StreamEvent[] = [];
  for await (const event of provider.request(request(changes), signal)) events.push(event);
  const last = events.at(-1);
  const calls = events.flatMap((event) => (event.kind === "call" ? [event.call] : []));
  return {
    text: events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join(""),
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    end: endOf(last),
    error: last?.kind === "error" ? last.error : null,
    usage: last?.kind === "done" ? last.usage : null,
  };
}

function endOf(last: StreamEvent | undefined): Asked["end"] {
  switch (last?.kind) {
    case "done":
      return last.stop;
    case "error":
      return last.error.code;
    case "aborted":
      return "aborted";
    default:
      throw new Error(`a stream ends in done, error or aborted, not in ${last?.kind}`);
  }
}
