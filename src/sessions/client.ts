// The contract of a foreign agent's folder under `clients`: payload → event and context → output. Both are pure and quick.

import type { Result } from "../base/result.ts";
import type { ClientEvent, ClientName } from "./client-event.ts";

export interface HookCall {
  /** The object on standard input. */
  readonly payload: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The hook's own directory, absolute: for payloads without one. */
  readonly cwd: string;
}

/** A payload that is not what this client sends; `message` names the field and what was expected. */
export interface PayloadError {
  readonly kind: "payload";
  readonly message: string;
}

export interface HookClient {
  readonly name: ClientName;
  /** Null for events that say nothing about presence. */
  toEvent(call: HookCall): Result<ClientEvent | null, PayloadError>;
  /** The exact bytes for standard output that bring `context` to the model; null where this event takes none. */
  toOutput(event: ClientEvent, context: string): string | null;
  /**
   * Files, absolute: where one of them has hooks of ours, the agent that really called runs those too, and they tell the event. For settings that
   * several agents read.
   */
  readonly toldThrough?: (event: ClientEvent, call: HookCall) => readonly string[];
}
