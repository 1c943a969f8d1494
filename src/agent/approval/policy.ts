// What becomes of one call: it goes, the person is asked, or it is refused. Pure. Invariant: a rule that forbids wins over everything,
// and `read-only` over every rule that allows.

import picomatch from "picomatch";
import { unreachable } from "../../base/assert.ts";
import type { HookDecision } from "../call-hooks.ts";
import type { Effect } from "../tool.ts";
import { allows } from "./allows.ts";
import { readCommandLine } from "./command-line.ts";
import { denies } from "./denies.ts";
import type { ApprovalMode } from "./mode.ts";
import type { Rule } from "./rule.ts";
import { commandTool } from "./ruled-tools.ts";

export interface Policy {
  readonly mode: ApprovalMode;
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  /** `held`: commands run in a sandbox; `free`: the person said that they need none; `none`: there is none. */
  readonly sandbox: "held" | "free" | "none";
}

export interface JudgedCall {
  readonly tool: string;
  readonly effect: Effect;
  /** For bash. */
  readonly command: string | null;
  /** Of the file that it is about, relative to the tree: as given, and as it really is, in small letters too. Empty for none. */
  readonly names: readonly string[];
  /** The real one alone; null where it is not known. */
  readonly real: string | null;
  readonly hook: HookDecision | null;
}

export type Judgement =
  | { readonly kind: "go" }
  /** `firm`: a rule that forbids may hold, and no rule that allows changes that. */
  | { readonly kind: "ask"; readonly why: string; readonly firm?: true }
  /** A sentence for the model. */
  | { readonly kind: "refuse"; readonly reason: string };

const GO: Judgement = { kind: "go" };

export function judge(policy: Policy, call: JudgedCall): Judgement {
  const denied = deniedBy(policy.deny, call);
  if (denied.kind === "refuse") return denied;
  if (policy.mode === "read-only" && (call.effect === "write" || call.effect === "exclusive"))
    return readOnly(policy, call);
  if (denied.kind === "ask") return denied;
  if (call.hook === "ask") return { kind: "ask", why: "a hook wants you to be asked" };
  const allowed = allowedBy(policy.allow, call);
  if (allowed === null || call.hook === "allow") return GO;
  return byMode(policy, call, allowed);
}

/** Without a sandbox, in which nothing can be written, only a command that a rule speaks of is known to be wanted. */
function readOnly({ sandbox, allow }: Policy, call: JudgedCall): Judgement {
  const isCommand = call.tool === commandTool;
  if (isCommand && (sandbox === "held" || allowedBy(allow, call) === null)) return GO;
  return {
    kind: "refuse",
    reason: `this run is read-only: ${isCommand ? "it runs no commands" : "it changes nothing"}`,
  };
}

function byMode({ mode, sandbox }: Policy, { effect, tool }: JudgedCall, why: string): Judgement {
  switch (effect) {
    case "read":
    case "delegate":
      return GO;
    case "write":
      return mode === "ask" ? { kind: "ask", why } : GO;
    case "exclusive":
      if (mode !== "full-auto") return { kind: "ask", why };
      if (tool === commandTool && sandbox === "none") return { kind: "ask", why: "there is no sandbox" };
      return GO;
    default:
      return unreachable(effect);
  }
}

/** Null where a rule does, else why none does. */
function allowedBy(rules: readonly Rule[], { tool, command, real }: JudgedCall): string | null {
  const own = rules.filter((rule) => rule.tool === tool);
  if (command !== null) {
    const allowed = allows(own, readCommandLine(command));
    return allowed.kind === "yes" ? null : allowed.why;
  }
  const fitting = own.find(({ pattern }) => {
    if (pattern === null) return true;
    return pattern.kind === "path" && real !== null && picomatch.isMatch(real, pattern.glob, { dot: true });
  });
  return fitting === undefined ? "no rule allows it" : null;
}

function deniedBy(rules: readonly Rule[], { tool, command, names }: JudgedCall): Judgement {
  const own = rules.filter((rule) => rule.tool === tool);
  if (own.length === 0) return GO;
  if (command !== null) {
    const denied = denies(own, readCommandLine(command));
    switch (denied.kind) {
      case "yes":
        return { kind: "refuse", reason: `the person's rule ${denied.rule} forbids it: ${denied.why}` };
      case "maybe":
        return { kind: "ask", why: `the rule ${denied.rule} may forbid it: ${denied.why}`, firm: true };
      default:
        return GO;
    }
  }
  // File systems that do not tell case apart would open it under another one.
  const options = { dot: true, nocase: true };
  const rule = own.find(
    ({ pattern }) =>
      pattern === null ||
      (pattern.kind === "path" && names.some((path) => picomatch.isMatch(path, pattern.glob, options))),
  );
  return rule === undefined ? GO : { kind: "refuse", reason: `the person's rule ${rule.text} forbids it` };
}
