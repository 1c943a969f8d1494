// A Provider whose answers come from a script: the first rule that matches who asks answers, always in the same way.
// What it says is labelled as scripted everywhere, and no rule means an error, never a guess.

import { basename } from "node:path";
import { asCallId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import { USAGE_UNKNOWN, type Usage } from "../../model/usage.ts";
import { captured, filledIn, filledInside, lastText, toldText } from "./capture.ts";
import { estimatedUsage } from "./estimate.ts";
import { parseScript, type Script, type ScriptError, type ScriptRule, scriptText } from "./format.ts";
import { namedScript, SCRIPT_SETTINGS, type ScriptSettings } from "./settings.ts";

const scriptBytesMax = 4 * 1024 * 1024;
const lastShownChars = 200;

export interface ScriptPorts {
  readonly files: Files;
  readonly clock: Clock;
}

/** Reads the script at the absolute `name`, which may end in settings; `shownAs` is the file as the person named it, its base name by default. */
export async function loadScript(
  ports: ScriptPorts,
  name: string,
  shownAs: string = basename(name),
): Promise<Result<Provider, ScriptError | FileError>> {
  const named = namedScript(name);
  if (!named.ok) return err({ kind: "script", path: name, message: named.error });
  const { path, settings } = named.value;
  const bytes = await ports.files.read(path, scriptBytesMax);
  if (!bytes.ok) return err(bytes.error);
  const text = scriptText(bytes.value, path);
  if (!text.ok) return text;
  const script = parseScript(text.value, path);
  return script.ok ? ok(scriptProvider(script.value, ports.clock, `script:${shownAs}`, settings)) : script;
}

export function scriptProvider(
  script: Script,
  clock: Clock,
  name: string,
  settings: ScriptSettings = SCRIPT_SETTINGS,
): Provider {
  return {
    name,
    scripted: true,
    price: script.price ?? null,
    request: (request, signal) => answer({ script, settings, request }, { clock, signal }),
  };
}

interface Asked {
  readonly script: Script;
  readonly settings: ScriptSettings;
  readonly request: ModelRequest;
}

async function* answer(
  asked: Asked,
  wait: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const { script, request } = asked;
  const rule = script.rules.find((candidate, index) => matches(candidate, index, asked));
  const delayMs = rule === undefined ? 0 : delayOf(rule, asked);
  if (delayMs > 0) await wait.clock.sleep(delayMs, wait.signal);
  if (wait.signal.aborted) {
    yield { kind: "aborted" };
    return;
  }
  if (rule === undefined) {
    yield scriptError(noRule(request, lastText(request.messages)));
    return;
  }
  if (rule.error !== undefined) {
    const { code, message, retryAfterMs = null } = rule.error;
    yield { kind: "error", error: { kind: "model", code, message, retryAfterMs } };
    return;
  }
  const said = spoken(rule, request);
  if (!said.ok) {
    yield scriptError(`rule ${script.rules.indexOf(rule) + 1}: ${said.error}`);
    return;
  }
  const { text, calls } = said.value;
  if (text !== null) yield { kind: "text", text };
  const { agent, turn } = request.context;
  for (const [index, { tool, input }] of calls.entries()) {
    const id = asCallId(`call-${agent}-${turn}-${index + 1}`);
    yield { kind: "call", call: { id, name: tool, arguments: { kind: "parsed", value: input } } };
  }
  const inputs = calls.map(({ input }) => input);
  const usage = usageOf(rule.usage ?? script.usage, request, { text: text ?? "", inputs });
  yield { kind: "done", stop: calls.length > 0 ? "calls" : "end", usage };
}

function scriptError(message: string): StreamEvent {
  return { kind: "error", error: { kind: "model", code: "script", message, retryAfterMs: null } };
}

function matches(rule: ScriptRule, index: number, { script, settings, request }: Asked): boolean {
  const { role, taskKeys, turn } = request.context;
  if (rule.role !== undefined && !rule.role.includes(role)) return false;
  if (rule.task !== undefined && !rule.task.some((key) => taskKeys.includes(key))) return false;
  if (rule.turn !== undefined && !rule.turn.includes(turn)) return false;
  if (rule.variant !== undefined && !rule.variant.includes(variantOf(script, settings))) return false;
  if (rule.told !== undefined && !rule.told.test(toldText(request.messages))) return false;
  if (rule.last !== undefined && !rule.last.test(lastText(request.messages))) return false;
  return rule.chance === undefined || draw(`rule ${index}`, { settings, request }) < rule.chance;
}

function variantOf({ variants = [] }: Script, { variant }: ScriptSettings): string {
  return variants.length === 0 ? "" : (variants[(variant - 1) % variants.length] ?? "");
}

function delayOf(rule: ScriptRule, { script, settings, request }: Asked): number {
  const delay = rule.delayMs ?? script.delayMs;
  if (typeof delay === "number") return delay * settings.scale;
  return (delay.min + (delay.max - delay.min) * draw("delay", { settings, request })) * settings.scale;
}

/** By who asks and at which turn, so that what runs at the same time cannot shuffle the draws. */
function draw(label: string, { settings, request }: Pick<Asked, "settings" | "request">): number {
  const { agent, turn } = request.context;
  return seededRandom(settings.seed, `${agent} ${turn} ${label}`).unit();
}

interface Spoken {
  readonly text: string | null;
  /** Copies: whoever gets the inputs may do with them what it likes, and the script answers the same again. */
  readonly calls: readonly { readonly tool: string; readonly input: unknown }[];
}

/** The error is a sentence for people. */
function spoken({ say, calls, capture }: ScriptRule, { messages }: ModelRequest): Result<Spoken, string> {
  if (capture === undefined) return ok({ text: say ?? null, calls: structuredClone(calls) });
  const values = captured(capture, messages);
  const text = say === undefined ? ok(null) : filledIn(say, values);
  if (!text.ok) return text;
  const filled: { tool: string; input: unknown }[] = [];
  for (const { tool, input } of calls) {
    const made = filledInside(input, values);
    if (!made.ok) return made;
    filled.push({ tool, input: made.value });
  }
  return ok({ text: text.value, calls: filled });
}

function usageOf(
  usage: ScriptRule["usage"],
  request: ModelRequest,
  answered: { readonly text: string; readonly inputs: readonly unknown[] },
): Usage {
  if (usage === "estimated") return estimatedUsage(request, answered);
  return {
    inputTokens: usage?.inputTokens ?? USAGE_UNKNOWN.inputTokens,
    cachedTokens: usage?.cachedTokens ?? USAGE_UNKNOWN.cachedTokens,
    outputTokens: usage?.outputTokens ?? USAGE_UNKNOWN.outputTokens,
  };
}

function noRule(request: ModelRequest, last: string): string {
  const { role, taskKeys, turn } = request.context;
  const task = taskKeys.length === 0 ? "no task" : `task ${taskKeys.join(" or ")}`;
  return `the script has no rule for role ${role}, ${task}, turn ${turn}, with the last message: ${cleanLine(last, lastShownChars)}`;
}
