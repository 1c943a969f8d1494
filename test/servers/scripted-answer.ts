// The answer of a script to a request that came over the wire: the same rules that `script:` goes by choose it.

import type { Script } from "../../src/adapters/script-model/format.ts";
import { scriptProvider } from "../../src/adapters/script-model/provider.ts";
import { unreachable } from "../../src/base/assert.ts";
import { asAgentId } from "../../src/base/ids.ts";
import type { Clock } from "../../src/host/clock.ts";
import type { ModelError } from "../../src/model/provider.ts";
import type { Usage } from "../../src/model/usage.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Identity } from "./identity.ts";
import type { Answer, AnswerCall, Reading } from "./protocol.ts";

export type Scripted =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "error"; readonly error: ModelError }
  /** The client went away while the script waited. */
  | { readonly kind: "gone" };

export interface Asked {
  readonly script: Script;
  readonly clock: Clock;
  readonly reading: Reading;
  readonly identity: Identity;
  /** Makes the ids of the calls unique on the server. */
  readonly number: number;
  readonly behaviour: Behaviour;
  readonly signal: AbortSignal;
}

export async function scriptedAnswer(asked: Asked): Promise<Scripted> {
  const { script, clock, reading, identity, number, behaviour, signal } = asked;
  const request = {
    context: {
      agent: asAgentId(`r${number}`),
      parent: null,
      role: identity.role,
      task: null,
      taskKeys: identity.taskKeys,
      turn: identity.turn,
    },
    system: reading.system,
    messages: reading.messages,
    tools: [],
    outputTokensMax: reading.outputTokensMax ?? 1,
  };
  let text = "";
  const calls: AnswerCall[] = [];
  for await (const event of scriptProvider(script, clock, "script").request(request, signal)) {
    switch (event.kind) {
      case "text":
        text += event.text;
        break;
      case "call": {
        const { id, name, arguments: given } = event.call;
        calls.push({ id, name, json: given.kind === "parsed" ? JSON.stringify(given.value) : given.text });
        break;
      }
      case "done":
        return { kind: "answer", answer: behaved({ text, calls, stop: event.stop, usage: event.usage }, behaviour) };
      case "error":
        return { kind: "error", error: event.error };
      case "aborted":
        return { kind: "gone" };
      case "attempt":
        break;
      default:
        return unreachable(event);
    }
  }
  throw new Error("a script's answer has an end");
}

function behaved(plain: Pick<Answer, "text" | "calls" | "stop" | "usage">, behaviour: Behaviour): Answer {
  const { thinking = null, interleaved = false, cutOff, malformed, declined } = behaviour;
  const end = cutOff ?? malformed;
  const answer = { ...plain, usage: usageOf(plain.usage, behaviour), thinking, interleaved };
  if (declined !== undefined) return { ...answer, text: declined, calls: [], stop: "refusal" };
  if (end === undefined) return answer;
  const last = plain.calls.length - 1;
  const calls = plain.calls.map((call, index) => (index === last ? { ...call, json: call.json.slice(0, end) } : call));
  return { ...answer, calls, stop: cutOff === undefined ? plain.stop : "length" };
}

function usageOf(scripted: Usage, { usage }: Behaviour): Usage {
  if (usage === undefined) return scripted;
  if (usage === "none") return { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" };
  const { inputTokens, cachedTokens = "unavailable", cacheWriteTokens, outputTokens } = usage;
  return { inputTokens, cachedTokens, outputTokens, ...(cacheWriteTokens !== undefined && { cacheWriteTokens }) };
}
