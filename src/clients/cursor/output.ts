// What a hook prints so that Cursor gives its model a text.

import type { ClientEvent } from "../../sessions/client-event.ts";

export function toOutput(event: ClientEvent, context: string): string | null {
  return event.takesContext ? JSON.stringify({ additional_context: context }) : null;
}
