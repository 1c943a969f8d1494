// Settings in JSON: in strict form, as Claude Code and Codex read them, and in other clients' dialects.

import { ALLOW_RULE } from "../launcher-command.ts";
import type { HookForm, McpForm } from "../settings.ts";
import { removeAllowRule, setAllowRule } from "./allow-rule.ts";
import type { Dialect } from "./document.ts";
import { findHooks, type HookDialect, removeHooks, setHooks } from "./hooks.ts";
import { othersInJson } from "./others.ts";
import { jsonServerForm } from "./server-entry.ts";
import { removeStatusLine, setStatusLine } from "./status-line.ts";

const strict: Dialect = { comments: false };

export function jsonFormOf(dialect: HookDialect, blank = "{}\n"): HookForm {
  return {
    set: (text, entries) => setHooks(text, entries, dialect),
    remove: (text) => removeHooks(text, dialect),
    find: (text) => findHooks(text, dialect),
    others: (text) => othersInJson(text, dialect),
    blank,
  };
}

export const jsonForm: HookForm = jsonFormOf(strict);

/** The same where our status line and our rule among the permissions may be in it, too. */
export const claudeForm: HookForm = {
  ...jsonForm,
  remove: (text) => {
    const removed = removeHooks(text, strict);
    const withoutLine = removed.ok ? removeStatusLine(removed.value, strict) : removed;
    return withoutLine.ok ? removeAllowRule(withoutLine.value, ALLOW_RULE, strict) : withoutLine;
  },
};

export function setStrictStatusLine(text: string, command: string): ReturnType<typeof setStatusLine> {
  return setStatusLine(text, command, strict);
}

export function setStrictAllowRule(text: string): ReturnType<typeof setAllowRule> {
  return setAllowRule(text, ALLOW_RULE, strict);
}

/** Clients that want to be told how a server is spoken to take its type. */
export const typedServerForm: McpForm = jsonServerForm((server) => ({ type: "stdio", ...server }), strict);

/** The same where the entry itself says that the tools of the server run without a question. */
export function trustedServerForm(dialect: Dialect): McpForm {
  return jsonServerForm((server) => ({ ...server, trust: true }), dialect);
}

/** Of a file that holds our hooks and our server: one removal takes out both, the last that was put in first. */
export function withServer(hooks: HookForm, server: McpForm): HookForm {
  return {
    ...hooks,
    remove: (text) => {
      const removed = server.remove(text);
      return removed.ok ? hooks.remove(removed.value) : removed;
    },
  };
}
