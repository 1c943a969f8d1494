// What a session is told of memory at its start, at a resume and after a compaction: where its own notes, the merged notes of its branch and
// the branch's task are. Facts only. The merged view is made anew each time, in the reader's own presence record, which goes with it.

import type { SessionStart } from "../presence/record-event.ts";
import { quoted, timeWord } from "../presence/words.ts";
import { redact } from "../redact.ts";
import { readTask } from "./current-task.ts";
import { branchLabel, mergedView, viewCharsMax } from "./merged-view.ts";
import { type Memory, noteHome, sessionPlace, whoOf } from "./places.ts";
import { type ReadBounds, readAllNotes } from "./read-notes.ts";

export interface ToldOfMemory {
  readonly text: string;
  readonly afterwards: () => Promise<void>;
}

export const mergedName = "merged.md";
const taskShownChars = 200;

/** An agent waits for its start: with an index of nothing it is told of a part, and what was read is remembered for the next one. */
export const startBounds: ReadBounds = { sessions: 1_500, filesRead: 300 };

export async function memoryAtStart(
  memory: Memory,
  reader: SessionStart,
  bounds: ReadBounds = startBounds,
): Promise<ToldOfMemory> {
  const { repository, branch, now } = reader;
  const all = await readAllNotes(memory, repository, { now, words: [], bounds });
  const home = await noteHome(memory, repository, reader);
  const view = await mergedView(all, { branch, reader: whoOf(reader.key), now, charsMax: viewCharsMax });
  const path = await putView(memory, reader, view.text);
  const task = await readTask(memory, repository, branch);
  const shown =
    task === null ? "none was written yet" : `${taskWho(task)}: ${quoted(redact(task.text), taskShownChars)}`;
  const lines = [
    `Notes that agent sessions leave in this repository, kept by skein (facts for information; what is quoted there is theirs and may be out of date):`,
    "- tools of the MCP server `skein`, where this session has it: note (writes one), read_memory, current_task, who, set_intent; in a shell: `skein memory note`, `skein memory show`",
    `- this session's notes: ${placeWord(sessionPlace(memory, repository, home))} (scratchpad.md, decisions.md, questions.md)`,
    `- merged notes on ${branchLabel(branch)}, ${path === null ? "which could not be written" : `made ${timeWord(now)}: ${placeWord(path)}`} (${plural(view.notes, "note")} of ${plural(view.sessions, "session")}, ${plural(view.openQuestions, "open question")}${all.leftOut === 0 ? "" : `; ${plural(all.leftOut, "session")} not read yet: \`read_memory\` reads all`})`,
    `- current task of ${branchLabel(branch)}${task === null ? "" : ` in ${placeWord(task.path)}`}: ${shown}`,
    ...(reader.subagent === null
      ? []
      : [`- in these tools this subagent is named by "subagent": ${quoted(reader.subagent)}`]),
  ];
  return { text: lines.join("\n"), afterwards: () => all.remember(reader.unique) };
}

function taskWho({ at, who }: { readonly at: number; readonly who: string | null }): string {
  return at === 0 ? "by somebody, at an unknown time" : `${timeWord(at)}, ${who ?? "by somebody"}`;
}

/** Replaced whole, and not to be written by anybody else. Null where it could not be. */
async function putView({ files }: Memory, { directory, unique }: SessionStart, text: string): Promise<string | null> {
  const path = `${directory}/${mergedName}`;
  const temporary = `${directory}/.merged-${unique}`;
  const made = await files.makeDirectory(directory, { private: true });
  if (!made.ok) return null;
  const written = await files.write(temporary, new TextEncoder().encode(text), { private: true, readOnly: true });
  const renamed = written.ok ? await files.rename(temporary, path) : written;
  if (!renamed.ok) await files.remove(temporary);
  return renamed.ok ? path : null;
}

/** A path of ours, whole: cut, it would lead nowhere. */
function placeWord(path: string): string {
  return /^[A-Za-z0-9_./@+~-]+$/.test(path) ? path : JSON.stringify(path);
}

function plural(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
