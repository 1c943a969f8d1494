// Requests in a test and what comes of them.

import { asAgentId } from "../../base/ids.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, Provider, RequestContext, StreamEvent } from "../../model/provider.ts";

export function requestOf(
  context: Partial<RequestContext> = {},
  messages: readonly Message[] = [{ role: "user", text: "go" }],
): ModelRequest {
  return {
    context: { agent: asAgentId("a1"), parent: null, role: "worker", task: null, taskKeys: [], turn: 1, ...context },
    system: "You test.",
    messages,
    tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
    outputTokensMax: 1_000,
  };
}

export async function eventsOf(
  provider: Provider,
  request: ModelRequest = requestOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of provider.request(request, signal)) events.push(event);
  return events;
}
