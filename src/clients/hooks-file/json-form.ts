// Settings in strict JSON, as Claude Code and Codex read them.

import type { HookForm } from "../settings.ts";
import type { Dialect } from "./document.ts";
import { findHooks, removeHooks, setHooks } from "./hooks.ts";
import { othersInJson } from "./others.ts";
import { removeStatusLine, setStatusLine } from "./status-line.ts";

const strict: Dialect = { comments: false };

export const jsonForm: HookForm = {
  set: (text, entries) => setHooks(text, entries, strict),
  remove: (text) => removeHooks(text, strict),
  find: (text) => findHooks(text, strict),
  others: othersInJson,
  blank: "{}\n",
};

/** The same where our status line may be in it, too. */
export const jsonFormWithStatusLine: HookForm = {
  ...jsonForm,
  remove: (text) => {
    const removed = removeHooks(text, strict);
    return removed.ok ? removeStatusLine(removed.value, strict) : removed;
  },
};

export function setStrictStatusLine(text: string, command: string): ReturnType<typeof setStatusLine> {
  return setStatusLine(text, command, strict);
}
