// What one command of a hook said, in Claude Code's terms: its exit code, its errors, and the JSON or text that it printed. Invariant:
// output that cannot be understood decides nothing but where the exit code does, and the person is told.

import { z } from "zod";
import { cleanText } from "../../base/text.ts";
import { BLOCKABLE_EVENTS, type HookEvent, PLAIN_OUTPUT_EVENTS } from "./hook-event.ts";
import type { HookEnd } from "./hook-process.ts";

export interface HookAnswer {
  /** `deny` and `block`: it is not to happen, or not to be over. */
  readonly decision: "deny" | "ask" | "allow" | null;
  /** For the decision; of a `deny` the model reads it. */
  readonly reason: string;
  /** For the model; empty for nothing. */
  readonly context: string;
  /** Other arguments for the call, in Claude Code's form; undefined for none. */
  readonly updatedInput: unknown;
  /** Why the agent is not to go on at all; null to go on. */
  readonly end: string | null;
  /** For the person; empty for nothing. */
  readonly warning: string;
}

/** UTF-16 units of what one hook may tell a model. */
export const hookTextCharsMax = 10_000;
const warningCharsMax = 500;
const NOTHING: HookAnswer = {
  decision: null,
  reason: "",
  context: "",
  updatedInput: undefined,
  end: null,
  warning: "",
};

const blockingCode = 2;

export function answerOf(event: HookEvent, end: HookEnd): HookAnswer {
  switch (end.kind) {
    case "cancelled":
      return NOTHING;
    case "timed-out":
      return {
        ...NOTHING,
        warning: `it was ended after ${end.timeoutMs / 1_000} s, and what it had to say is not known`,
      };
    case "not-started":
      return { ...NOTHING, warning: warningOf(`it could not be started: ${end.message}`) };
    case "exited":
      return exited(event, end);
  }
}

function exited(event: HookEvent, { code, stdout, stderr }: Extract<HookEnd, { kind: "exited" }>): HookAnswer {
  if (code === blockingCode) {
    const reason = told(stderr) || "it gave no reason";
    if (BLOCKABLE_EVENTS.has(event)) return { ...NOTHING, decision: "deny", reason };
    const forModel = event === "PostToolUse" || event === "PostToolUseFailure";
    return forModel ? { ...NOTHING, context: reason } : { ...NOTHING, warning: warningOf(reason) };
  }
  if (code !== 0) {
    const how = code === null ? "a signal ended it" : `it ended with code ${code}`;
    return { ...NOTHING, warning: warningOf(`${how}${stderr.trim() === "" ? "" : `: ${stderr.trim()}`}`) };
  }
  const text = stdout.trim();
  if (text === "") return NOTHING;
  if (text.startsWith("{")) return printed(event, text);
  return PLAIN_OUTPUT_EVENTS.has(event) ? { ...NOTHING, context: told(text) } : NOTHING;
}

/** Fields one by one: a reason that is no text does not take the decision beside it away. */
const text = z.string().nullish().catch(undefined);
const fields = z.record(z.string(), z.unknown()).nullish().catch(undefined);
const OUTPUT = z.object({
  continue: z.boolean().nullish().catch(undefined),
  stopReason: text,
  systemMessage: text,
  /** `deny` is no word of Claude Code's here, and there is no doubt what is meant. */
  decision: z.enum(["block", "approve", "deny"]).nullish().catch(undefined),
  reason: text,
  additionalContext: text,
  hookSpecificOutput: z
    .object({
      permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).nullish().catch(undefined),
      permissionDecisionReason: text,
      updatedInput: fields,
      additionalContext: text,
      /** Of PermissionRequest. */
      decision: z
        .object({
          behavior: z.enum(["allow", "deny"]).nullish().catch(undefined),
          message: text,
          updatedInput: fields,
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

function printed(event: HookEvent, text: string): HookAnswer {
  const parsed = OUTPUT.safeParse(jsonOf(text));
  if (!parsed.success) {
    const warning = "what it printed looks like JSON and is none of the form that hooks answer in: it was not used";
    return PLAIN_OUTPUT_EVENTS.has(event) && jsonOf(text) === undefined
      ? { ...NOTHING, context: told(text) }
      : { ...NOTHING, warning };
  }
  const { hookSpecificOutput, decision, reason, ...output } = parsed.data;
  const own = hookSpecificOutput ?? {};
  const end = output.continue === false ? told(output.stopReason ?? "") || "it said so" : null;
  const why = own.permissionDecisionReason ?? own.decision?.message ?? reason ?? "";
  const answer = {
    ...NOTHING,
    reason: told(why),
    context: told(own.additionalContext ?? output.additionalContext ?? ""),
    updatedInput: own.updatedInput ?? own.decision?.updatedInput ?? undefined,
    end,
    warning: warningOf(output.systemMessage ?? oddIn(jsonOf(text), parsed.data)),
  };
  const said = own.permissionDecision ?? own.decision?.behavior ?? TOP_DECISIONS[decision ?? ""] ?? null;
  if (said === "deny" && !BLOCKABLE_EVENTS.has(event))
    return { ...answer, context: [answer.reason, answer.context].filter((part) => part !== "").join("\n") };
  return { ...answer, decision: said === "defer" ? "ask" : said, reason: answer.reason || "it gave no reason" };
}

const TOP_DECISIONS: Readonly<Record<string, "deny" | "allow">> = { block: "deny", deny: "deny", approve: "allow" };

/** What was said in another form than hooks answer in, and so was not used; empty for nothing. */
function oddIn(given: unknown, used: unknown, path = ""): string {
  if (!isFields(given) || !isFields(used)) return "";
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(used, name) || value === null || value === undefined) continue;
    if (used[name] === undefined)
      return `"${path}${cleanText(name, 60)}" is none of the form that hooks answer in: it was not used`;
    const inner = oddIn(value, used[name], `${path}${name}.`);
    if (inner !== "") return inner;
  }
  return "";
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function told(text: string): string {
  return cleanText(text.trim(), hookTextCharsMax);
}

function warningOf(text: string): string {
  return cleanText(text.trim(), warningCharsMax);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
