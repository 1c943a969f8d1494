// What `skein memory show` and `search` do with their flags, for both ways into them: through the command line, and through their own small
// bundle, which skips what they do not need.

import { resolve } from "node:path";
import { searchMemory, showMemory } from "../app/memory.ts";
import { cleanLine } from "../base/text.ts";
import { explain } from "./errors.ts";
import { fail } from "./fail.ts";
import { jsonLine } from "./json.ts";
import type { MemoryFlags } from "./memory-flags.ts";
import type { PlainIo } from "./plain-io.ts";
import { foundLines, noteJson, shownLines, taskJson } from "./render/memory.ts";
import type { WhoSurroundings } from "./show-who.ts";

export async function runMemory(io: PlainIo, surroundings: WhoSurroundings, flags: MemoryFlags): Promise<void> {
  const { clock } = surroundings.host;
  const { json, repo, all, branch } = flags;
  const question = {
    directory: resolve(surroundings.cwd, repo),
    all,
    branch,
    now: clock.now(),
    unique: `${surroundings.processId}-${Math.trunc(clock.monotonicMs() * 1000)}`,
  };
  if (flags.command === "search") {
    const found = await searchMemory(surroundings, question, flags.query);
    if (!found.ok) return fail(io, explain(found.error), json);
    const { hits, more, problems } = found.value;
    if (json) return io.out(jsonLine({ notes: hits.map(noteJson), more, problems }));
    tellProblems(io, problems);
    return io.out(foundLines(found.value, io.colors).join("\n"));
  }
  const shown = await showMemory(surroundings, question, { notes: json });
  if (!shown.ok) return fail(io, explain(shown.error), json);
  const { branch: on, notes, task, problems } = shown.value;
  if (json) return io.out(jsonLine({ branch: on, task: taskJson(task), notes: notes.map(noteJson), problems }));
  tellProblems(io, problems);
  io.out(shownLines(shown.value, io.colors).join("\n"));
}

function tellProblems(io: PlainIo, problems: readonly string[]): void {
  for (const problem of problems.slice(0, problemsShownMax)) io.note(`not readable: ${cleanLine(problem, 300)}`);
}

const problemsShownMax = 10;
