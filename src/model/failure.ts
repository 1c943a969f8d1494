// A model's failure in words: as the bill keeps it, and as a reason that people read. Advice goes by the code in them, so that both are
// made and read here.

import { cleanLine, cleanText } from "../base/text.ts";

/** Of a provider's message, in UTF-16 units. */
const messageCharsMax = 2_000;
/** Where it stands behind another reason. */
const noteCharsMax = 500;

/** A `ModelError`; of an old transcript the code may be any word. */
interface Failure {
  readonly code: string;
  readonly message: string;
}

/** For the bill. */
export function billedFailure({ code, message }: Failure): string {
  return `${code}: ${cleanText(message, messageCharsMax)}`;
}

/** `name` is null where it is the task's own: the planner reads it. */
export function modelFailure({ code, message }: Failure, name: string | null): string {
  return `the model ${name === null ? "" : `${name} `}failed (${code}): ${cleanText(message, messageCharsMax)}`;
}

/** A failure that the bill holds as a reason; null for a request that was aborted, or failed by nothing of the provider's. */
export function failureInBill(failed: string, model: string): string | null {
  const [, code, message = ""] = /^([a-z]+(?:-[a-z]+)*): (.*)$/s.exec(failed) ?? [];
  return code === undefined ? null : failureNote({ code, message }, model);
}

/** As `modelFailure`, to stand behind another reason. */
export function failureNote({ code, message }: Failure, name: string): string {
  return modelFailure({ code, message: cleanLine(message, noteCharsMax) }, name);
}
