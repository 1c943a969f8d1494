// What `skein statusline` does, for both ways into it: through the command line, and through its own small bundle.

import { openBoard } from "../../app/board/open.ts";
import type { Surroundings } from "../../app/surroundings.ts";
import { explain } from "../errors.ts";
import { fail } from "../fail.ts";
import type { PlainIo } from "../plain-io.ts";
import type { StatusPlace } from "./places.ts";
import { statusText } from "./text.ts";

export interface StatusSurroundings {
  readonly io: PlainIo;
  readonly surroundings: Pick<Surroundings, "env" | "platform">;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Tells this process's temporary files from another's. */
  readonly unique: string;
}

/** `own`: the id of the session that shows the line. */
export async function showStatus(
  { io, surroundings, now, unique }: StatusSurroundings,
  place: StatusPlace,
  own: string | null,
): Promise<void> {
  const board = await openBoard(surroundings, { directory: null });
  if (!board.ok) return fail(io, explain(board.error), false);
  const view = await board.value.tracker.look(now);
  io.out(statusText(view, { place, colors: io.colors, own }));
  await board.value.tracker.remember(unique);
}
