// A Provider whose answers come from a script: the first rule that matches who asks answers, always in the same way.
// What it says is labelled as scripted everywhere, and no rule means an error, never a guess.

import { basename } from "node:path";
import { asCallId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Usage } from "../../model/usage.ts";
import { parseScript, type Script, type ScriptError, type ScriptRule, scriptText } from "./format.ts";

const scriptBytesMax = 4 * 1024 * 1024;
const lastShownChars = 200;

export interface ScriptPorts {
  readonly files: Files;
  readonly clock: Clock;
}

/** Reads the script at the absolute `path`; `shownAs` is the file as the person named it, its base name by default. */
export async function loadScript(
  ports: ScriptPorts,
  path: string,
  shownAs: string = basename(path),
): Promise<Result<Provider, ScriptError | FileError>> {
  const bytes = await ports.files.read(path, scriptBytesMax);
  if (!bytes.ok) return err(bytes.error);
  const text = scriptText(bytes.value, path);
  if (!text.ok) return text;
  const script = parseScript(text.value, path);
  return script.ok ? ok(scriptProvider(script.value, ports.clock, `script:${shownAs}`)) : script;
}

export function scriptProvider(script: Script, clock: Clock, name: string): Provider {
  return {
    name,
    scripted: true,
    price: script.price ?? null,
    request: (request, signal) => answer(script, request, { clock, signal }),
  };
}

async function* answer(
  script: Script,
  request: ModelRequest,
  wait: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const last = lastText(request.messages);
  const rule = script.rules.find((candidate) => matches(candidate, request, last));
  if (rule !== undefined && rule.delayMs > 0) await wait.clock.sleep(rule.delayMs, wait.signal);
  if (wait.signal.aborted) {
    yield { kind: "aborted" };
    return;
  }
  if (rule === undefined) {
    yield {
      kind: "error",
      error: { kind: "model", code: "script", message: noRule(request, last), retryAfterMs: null },
    };
    return;
  }
  if (rule.error !== undefined) {
    const { code, message, retryAfterMs = null } = rule.error;
    yield { kind: "error", error: { kind: "model", code, message, retryAfterMs } };
    return;
  }
  if (rule.say !== undefined) yield { kind: "text", text: rule.say };
  const { agent, turn } = request.context;
  for (const [index, { tool, input }] of rule.calls.entries()) {
    const id = asCallId(`call-${agent}-${turn}-${index + 1}`);
    // A copy: whoever gets the arguments may do with them what it likes, and the script answers the same again.
    yield { kind: "call", call: { id, name: tool, arguments: { kind: "parsed", value: structuredClone(input) } } };
  }
  yield { kind: "done", stop: rule.calls.length > 0 ? "calls" : "end", usage: usageOf(rule) };
}

function matches(rule: ScriptRule, request: ModelRequest, last: string): boolean {
  const { role, taskKeys, turn } = request.context;
  if (rule.role !== undefined && !rule.role.includes(role)) return false;
  if (rule.task !== undefined && !rule.task.some((key) => taskKeys.includes(key))) return false;
  if (rule.turn !== undefined && !rule.turn.includes(turn)) return false;
  return rule.last === undefined || rule.last.test(last);
}

/** What the model has just been told: the person's text, or the results of its calls. */
function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (last === undefined) return "";
  return last.role === "tool" ? last.results.map((result) => result.text).join("\n") : last.text;
}

function usageOf({ usage }: ScriptRule): Usage {
  return {
    inputTokens: usage?.inputTokens ?? "unavailable",
    cachedTokens: usage?.cachedTokens ?? "unavailable",
    outputTokens: usage?.outputTokens ?? "unavailable",
  };
}

function noRule(request: ModelRequest, last: string): string {
  const { role, taskKeys, turn } = request.context;
  const task = taskKeys.length === 0 ? "no task" : `task ${taskKeys.join(" or ")}`;
  return `the script has no rule for role ${role}, ${task}, turn ${turn}, with the last message: ${cleanLine(last, lastShownChars)}`;
}
