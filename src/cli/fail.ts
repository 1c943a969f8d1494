// How a command ends that could not do its work: the words on the terminal, the line for programs, the exit code.

import { capText } from "../base/text.ts";
import type { Explanation } from "./errors.ts";
import { jsonLine } from "./json.ts";
import type { PlainIo } from "./plain-io.ts";

/** Prints an error and sets the exit code. With `--json` programs get it as their one line too. */
export function fail(io: PlainIo, explanation: Explanation, json: boolean): void {
  io.note(`skein: ${explanation.what}\n  ${explanation.next}`);
  if (json) io.out(errorJson(explanation));
  io.exitCode = explanation.exitCode;
}

export function errorJson({ what, next, exitCode }: Explanation): string {
  return jsonLine({ error: what, next, exitCode });
}

/** A bug of ours: everything that was acknowledged is in the run's log all the same. */
export function internalError(io: PlainIo, error: unknown, json: boolean): 1 {
  const message = error instanceof Error ? error.message : String(error);
  const next = "this is a fault of skein: please report it; skein runs shows what was kept";
  if (error instanceof Error && error.stack !== undefined) io.note(error.stack);
  fail(io, { what: `internal error: ${capText(message, 2_000)}`, next, exitCode: 1 }, json);
  return 1;
}
