// The proof that an edit of somebody's settings can be taken back, made before anything is written. It does not trust the editing: what is not
// ours is compared as another reader of the file sees it, and bytes with the bytes that were there.

import { isDeepStrictEqual } from "node:util";
import type { SettingsError } from "../../clients/hooks-file/document.ts";
import type { HookEntry } from "../../clients/hooks-file/hooks.ts";
import type { HookForm } from "../../clients/settings.ts";

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

/** What is not ours means the same before and after. */
export function proofOfRemoval(form: HookForm, before: string, after: string): SettingsError | null {
  return isDeepStrictEqual(form.others(before), form.others(after))
    ? null
    : refused("something else in it would have changed with our hooks");
}

function hasOurs(form: HookForm, text: string): boolean {
  const [found, bare] = [form.find(text), form.remove(text)];
  return (found.ok && found.value.length > 0) || (bare.ok && bare.value.length < text.length && text.includes(MARK));
}

/** Stands in every command of ours, a status line's too. */
const MARK = "skein-hook";

function inOrder(entries: readonly HookEntry[]): readonly string[] {
  return entries
    .map(({ event, matcher, command, timeoutS }) => JSON.stringify([event, matcher, command, timeoutS]))
    .sort();
}

function refused(message: string): SettingsError {
  return { kind: "settings", code: "shape", message };
}
