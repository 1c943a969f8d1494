// Settings in strict JSON, as Claude Code and Codex read them.

import type { HookForm } from "../settings.ts";
import type { Dialect } from "./document.ts";
import { findHooks, removeHooks, setHooks } from "./hooks.ts";

const strict: Dialect = { comments: false };

export const jsonForm: HookForm = {
  set: (text, entries) => setHooks(text, entries, strict),
  remove: (text) => removeHooks(text, strict),
  find: (text) => findHooks(text, strict),
  blank: "{}\n",
};
