// A settings file that is a program of ours as a whole: what a client that has no hooks but loads plugins gets. Invariant: a file is ours
// where it begins with our first line, and then all of it is; any other file of that name is refused and left alone.

import { ok, type Result } from "../../base/result.ts";
import { refuse, type SettingsError } from "../hooks-file/document.ts";
import type { HookEntry } from "../hooks-file/hooks.ts";
import { isOurCommand } from "../launcher-command.ts";
import type { HookForm } from "../settings.ts";

/** What its first line begins with, in every version. */
export const PROGRAM_MARK = "// Written by `skein install`, which replaces it whole";

/** Its only entry, by the name of what it is: it asks for the client's events itself. */
export interface Program {
  readonly event: "plugin" | "extension";
  readonly timeoutS: number;
  text(command: string): string;
}

export function programForm({ event, timeoutS, text: textOf }: Program): HookForm {
  const entryIn = (text: string): Result<HookEntry | null, SettingsError> => {
    if (!text.startsWith(PROGRAM_MARK)) return ok(null);
    const command = commandIn(text);
    if (command === null) return refuse("shape", "it is one of ours that was changed: remove it, then install again");
    // One that an older version wrote does its work, and is to be replaced all the same.
    return ok({ event: textOf(command) === text ? event : `an older ${event}`, matcher: null, command, timeoutS });
  };
  return {
    set: (text, [entry]) => {
      if (entry === undefined) return ok("");
      if (text !== "" && !text.startsWith(PROGRAM_MARK))
        return refuse("shape", "it is not one that skein wrote: move it to another name, then install again");
      return ok(textOf(entry.command));
    },
    remove: (text) => ok(text.startsWith(PROGRAM_MARK) ? "" : text),
    find: (text) => {
      const entry = entryIn(text);
      return entry.ok ? ok(entry.value === null ? [] : [entry.value]) : entry;
    },
    // Another's program, in whatever text: one of ours is so by its first line, which nobody else's begins with.
    others: (text) => (text === "" || text.startsWith(PROGRAM_MARK) ? null : text),
    blank: "",
  };
}

function commandIn(text: string): string | null {
  const line = /^const command = (".*");$/m.exec(text)?.[1];
  if (line === undefined) return null;
  try {
    const command: unknown = JSON.parse(line);
    return typeof command === "string" && isOurCommand(command) ? command : null;
  } catch {
    return null;
  }
}
