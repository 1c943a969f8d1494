// Whose failure it is that a run did not pass: what ended it tells first, and only a run that ended by itself is judged by its checks.

import type { Ending, RunRecord } from "./record.ts";
import type { Checked, Exclusion, Failure, FailureKind } from "./verdict.ts";

/** Null where it passed. */
export function failureOf(
  { ending }: Pick<RunRecord, "ending">,
  checked: readonly Checked[],
  excluded: Exclusion | null,
): Failure | null {
  if (excluded?.reason === "judge") return { kind: "judge", detail: excluded.detail };
  if (excluded?.reason === "environment") return { kind: "environment", detail: excluded.detail };
  const kind = endedBy(ending);
  if (kind !== null) return { kind, detail: endingText(ending) };
  const failed = checked.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  return { kind: "model", detail: failed.map(({ name, detail }) => `${name}: ${detail}`).join("; ") };
}

export function endingText({ detail, outcome, signal }: Ending): string {
  const said = detail === "" ? (outcome ?? (signal === null ? "it did not end" : null)) : detail;
  return [signal === null ? null : `ended by ${signal}`, said].filter((text) => text !== null).join(": ");
}

/** Codes of a provider that did not serve; any other error is the model's own answer. */
const providersFaults: ReadonlySet<string> = new Set([
  "unauthorized",
  "quota",
  "rate-limit",
  "overloaded",
  "bad-request",
  "not-found",
  "unreachable",
  "network",
  "replay",
  "other",
]);

/** Null for a run that ended by itself. */
export function endedBy({ exitCode, outcome, error, timedOut }: Ending): FailureKind | null {
  if (timedOut) return "limit";
  switch (outcome) {
    case "stopped":
      return exitCode === 0 ? null : "environment";
    case "turn-limit":
    case "budget":
    case "no-progress":
      return "limit";
    case "model-error":
      return error !== null && providersFaults.has(error) ? "provider" : "model";
    default:
      return "environment";
  }
}
