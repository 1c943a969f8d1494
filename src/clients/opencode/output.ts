// What a hook prints so that our plugin in opencode puts it into the system prompt.

import type { ClientEvent } from "../../sessions/client-event.ts";
import { programOutput } from "../program-file/program-output.ts";

export function toOutput(event: ClientEvent, context: string): string | null {
  return event.takesContext ? programOutput(context) : null;
}
