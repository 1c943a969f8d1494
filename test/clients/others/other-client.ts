// What a scenario needs to know of a client beside Claude Code and Codex: its own configuration, how it is started without a person, and
// the tools that its model calls.

import type { Call } from "../fake-model.ts";
import type { Addition, Place, Running } from "../place.ts";

export interface OtherClient extends Addition {
  readonly client: string;
  start(place: Place, prompt: string): Running;
  /** A tool that its requests offer and no other client's do. */
  readonly ownTool: string;
  write(path: string, content: string): Call;
  /** Calls that change the one text into the other, one after the other. */
  edit(path: string, before: string, after: string): readonly Call[];
  /** Whether it tells its session's end when it is run without a person. */
  readonly tellsEnd: boolean;
  /** Other hosts that it asks for, whatever its settings say. */
  readonly asksOutside?: RegExp;
}
