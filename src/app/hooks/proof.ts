// The proof that an edit of somebody's settings can be taken back, made before anything is written. It does not trust the editing: what is not
// ours is compared as another reader of the file sees it, and bytes with the bytes that were there.

import { isDeepStrictEqual } from "node:util";
import type { SettingsError } from "../../clients/hooks-file/document.ts";
import type { HookEntry } from "../../clients/hooks-file/hooks.ts";
import { ALLOW_RULE, OPENCODE_ALLOW_RULE } from "../../clients/launcher-command.ts";
import { PROGRAM_MARK } from "../../clients/program-file/program-form.ts";
import type { HookForm, McpForm } from "../../clients/settings.ts";

export interface Edit {
  readonly before: string;
  readonly after: string;
  /** Exactly these are ours afterwards. */
  readonly entries: readonly HookEntry[];
}

/** Null where it holds. */
export function proofOfInstall(form: HookForm, { before, after, entries }: Edit): SettingsError | null {
  const found = form.find(after);
  if (!found.ok || !isDeepStrictEqual(inOrder(found.value), inOrder(entries)))
    return refused("our hooks could not be put into it as they should be");
  const [bare, back] = [form.remove(before), form.remove(after)];
  if (!bare.ok || !back.ok) return refused("our hooks could not be taken out of it again");
  // Where nothing of ours was in it, the bytes themselves are what has to come back.
  if (back.value !== (hasOurs(form, before) ? bare.value : before))
    return refused("our hooks could not be taken out of it again exactly");
  return proofOfRemoval(form, before, after) ?? proofOfRemoval(form, before, back.value);
}

/** The same for our MCP server in a file without hooks. */
export function proofOfServer(form: McpForm, before: string, after: string): SettingsError | null {
  const [has, had, bare, back] = [form.has(after), form.has(before), form.remove(before), form.remove(after)];
  if (!has.ok || !has.value) return refused("our MCP server could not be put into it as it should be");
  if (!had.ok || !bare.ok || !back.ok) return refused("our MCP server could not be taken out of it again");
  if (back.value !== (had.value || isMarked(before, bare.value) ? bare.value : before))
    return refused("our MCP server could not be taken out of it again exactly");
  return proofOfRemoval(form, before, after) ?? proofOfRemoval(form, before, back.value);
}

/** What is not ours means the same before and after. */
export function proofOfRemoval(form: Pick<HookForm, "others">, before: string, after: string): SettingsError | null {
  return isDeepStrictEqual(form.others(before), form.others(after))
    ? null
    : refused("something else in it would have changed with our hooks");
}

function hasOurs(form: HookForm, text: string): boolean {
  const [found, bare] = [form.find(text), form.remove(text)];
  return (found.ok && found.value.length > 0) || (bare.ok && isMarked(text, bare.value));
}

function isMarked(text: string, bare: string): boolean {
  return bare.length < text.length && MARKS.some((mark) => text.includes(mark));
}

/** In every command of ours, a status line's and a server's too; our rules among permissions; the first line of a program of ours. */
const MARKS = ["skein-hook", ALLOW_RULE, OPENCODE_ALLOW_RULE, PROGRAM_MARK];

function inOrder(entries: readonly HookEntry[]): readonly string[] {
  return entries
    .map(({ event, matcher, command, timeoutS }) => JSON.stringify([event, matcher, command, timeoutS]))
    .sort();
}

function refused(message: string): SettingsError {
  return { kind: "settings", code: "shape", message };
}
