// What a hook prints so that Copilot CLI gives its model a text: one flat key.

import type { ClientEvent } from "../../sessions/client-event.ts";

export function toOutput(event: ClientEvent, context: string): string | null {
  return event.takesContext ? JSON.stringify({ additionalContext: context }) : null;
}
