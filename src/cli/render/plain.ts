// Progress without a terminal: one line each time a task changes state, never a control character.

import type { TaskId } from "../../base/ids.ts";
import { cleanLine } from "../../base/text.ts";
import type { TaskLine, TaskLook } from "../../swarm/view.ts";
import { duration } from "./figures.ts";

/** Remembers what was printed; `update` gives the lines that are new. */
export class PlainProgress {
  readonly #seen = new Map<TaskId, TaskLook>();

  update(lines: readonly TaskLine[], wallMs: number): readonly string[] {
    const changed: string[] = [];
    for (const line of lines) {
      if (this.#seen.get(line.id) === line.look) continue;
      this.#seen.set(line.id, line.look);
      changed.push(describe(line, wallMs));
    }
    return changed;
  }
}

function describe(line: TaskLine, wallMs: number): string {
  const who = line.agent === null ? "" : ` by ${line.agent}`;
  const why =
    (line.look === "failed" || line.look === "dropped" || line.look === "conflicted") && line.detail !== ""
      ? `: ${cleanLine(line.detail, 500)}`
      : "";
  const title = line.look === "waits" || line.look === "ready" ? ` (${cleanLine(line.title, 100)})` : "";
  return `[${duration(wallMs).padStart(8)}] ${line.id} ${cleanLine(line.key, 60)} ${line.look}${who}${why}${title}`;
}
