// What a hook of Claude Code's settings prints so that the model gets a text: the form of whichever agent called it.

import type { ClientEvent } from "../../sessions/client-event.ts";
import { contextOutput } from "../context-output.ts";
import { toOutput as copilotOutput } from "../copilot/output.ts";

export function toOutput(event: ClientEvent, context: string): string | null {
  if (!event.takesContext) return null;
  if (event.client === "copilot") return copilotOutput(event, context);
  if (event.client === "cursor") return JSON.stringify({ additional_context: context });
  return contextOutput(event.native, context);
}
