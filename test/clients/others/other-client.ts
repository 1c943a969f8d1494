// What a scenario needs to know of a client beside Claude Code and Codex: its own configuration, how it is started without a person, and
// the tools that its model calls.

import type { Call } from "../fake-model.ts";
import type { Addition, Place, Running } from "../place.ts";

export interface OtherClient extends Addition {
  readonly client: string;
  start(place: Place, prompt: string): Running;
  /** As a person starts it who has allowed nothing: what asks is refused, since nobody is there. */
  startPlain(place: Place, prompt: string): Running;
  /** As its model calls a tool of our MCP server; null where that is not registered with it. */
  readonly serverTool: ((tool: string) => string) | null;
  /** What stays in the home, by path, once its person has approved our server for this repository; only where no rule of settings can. */
  approval?(repository: string): Readonly<Record<string, string>>;
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
