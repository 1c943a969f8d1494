// What is the same in reading every client's payload: which event, of which session, where. What an event means each client says itself.

import { ok, type Result } from "../base/result.ts";
import type { HookCall, PayloadError } from "../sessions/client.ts";
import type { ClientAction, ClientEvent, StartSource } from "../sessions/client-event.ts";
import { directoryOf, type Fields, fieldsOf, idField, payloadError, textField } from "./payload.ts";

/** How one client's payloads are read. */
export interface EventForm extends Pick<ClientEvent, "client" | "sharedProcess"> {
  readonly fields: FieldNames;
  /** After which its model gets what a hook says. */
  readonly contextEvents: ReadonlySet<string>;
  /** Null for what is none of ours. */
  actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null;
  /** Where its own program tells its process. */
  process?(fields: Fields): Pick<ClientEvent, "agentPid" | "tellsOwnPid">;
}

/** Which field holds it; null where the client does not tell it. */
export interface FieldNames {
  readonly event: string;
  readonly session: string;
  readonly agent: string | null;
  readonly directory: string;
  readonly transcript: string | null;
}

/** As Claude Code names them, and whoever took its hooks over. */
export const CLAUDE_FIELDS: FieldNames = {
  event: "hook_event_name",
  session: "session_id",
  agent: "agent_id",
  directory: "cwd",
  transcript: "transcript_path",
};

/** As our own plugins name them. */
export const PROGRAM_FIELDS: FieldNames = {
  event: "event",
  session: "session",
  agent: "agent",
  directory: "directory",
  transcript: null,
};

export function readEvent(call: HookCall, form: EventForm): Result<ClientEvent | null, PayloadError> {
  const { fields: names, client, sharedProcess } = form;
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = textField(fields, names.event);
  if (native === null) return payloadError(`${names.event}: expected a text`);
  const session = idField(fields, names.session);
  if (session === null) return payloadError(`${names.session}: expected a text of at most 200 characters`);
  const agent = names.agent === null ? null : idField(fields, names.agent);
  const action = form.actionOf(native, fields, agent !== null);
  if (action === null) return ok(null);
  return ok({
    client,
    session,
    agent,
    cwd: directoryOf(fields, call, names.directory),
    action,
    native,
    takesContext: form.contextEvents.has(native),
    transcript: names.transcript === null ? null : textField(fields, names.transcript),
    ...(form.process?.(fields) ?? { agentPid: null }),
    sharedProcess,
  });
}

/** What a client says of a start, where it is one of the words that it has for it. */
export function startSource(text: string | null, known: readonly StartSource[]): StartSource {
  return known.find((one) => one === text) ?? "other";
}

/** A subagent's task comes as its prompt, and an empty one is the client's own. */
export function promptAction(text: string, inSubagent: boolean): ClientAction {
  return { kind: "prompt", text, byPerson: !inSubagent && text.trim() !== "" };
}

/** Before a shell command; where the call has no id its end could not be told from others'. */
export function shellStarted(call: string | null): ClientAction {
  return call === null ? { kind: "seen" } : { kind: "shell-started", call };
}

/** What a call says that it has written. */
export function filesEdited(paths: readonly string[]): ClientAction {
  return paths.length === 0 ? { kind: "seen" } : { kind: "files-edited", paths };
}
