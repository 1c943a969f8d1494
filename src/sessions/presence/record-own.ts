// Lines that a session says of itself without an event of its client: its intent, and how many workers are behind it.

import { err, ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { SessionKey } from "./ids.ts";
import { intentText } from "./intent-text.ts";
import type { NewLine } from "./line.ts";
import type { Registry } from "./registry.ts";
import { appendLine } from "./session-file.ts";

export interface NotRegistered {
  readonly kind: "not-registered";
  readonly session: string;
}

export interface EmptyIntent {
  readonly kind: "empty-intent";
}

/** Gives back the intent as others see it: redacted and shortened. */
export async function recordIntent(
  registry: Registry,
  key: SessionKey,
  { text, now }: { readonly text: string; readonly now: number },
): Promise<Result<string, FileError | NotRegistered | EmptyIntent>> {
  const intent = intentText(text);
  if (intent === null) return err({ kind: "empty-intent" });
  const recorded = await appendOwn(registry, key, { at: now, kind: "intent", intent, intentBy: "agent" });
  return recorded.ok ? ok(intent) : recorded;
}

export function recordCrew(
  registry: Registry,
  key: SessionKey,
  { count, now }: { readonly count: number; readonly now: number },
): Promise<Result<void, FileError | NotRegistered>> {
  return appendOwn(registry, key, { at: now, kind: "crew", crew: count });
}

async function appendOwn(
  registry: Registry,
  key: SessionKey,
  line: NewLine,
): Promise<Result<void, FileError | NotRegistered>> {
  const home = await registry.homeOf(key);
  if (home === null) return err({ kind: "not-registered", session: key });
  const before = await registry.read(home, key);
  if (!before.ok) return before;
  return appendLine(registry.files, registry.directoryOf(home, key), line, before.value);
}
