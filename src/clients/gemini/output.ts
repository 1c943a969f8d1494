// What a hook prints so that Gemini CLI gives its model a text.

import type { ClientEvent } from "../../sessions/client-event.ts";
import { contextOutput } from "../context-output.ts";

export function toOutput(event: ClientEvent, context: string): string | null {
  return event.takesContext ? contextOutput(event.native, context) : null;
}
