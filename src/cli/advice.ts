// What to do after work that did not reach its goal: told by how it ended.

import type { ModelError } from "../model/provider.ts";
import { type ReachedLimit, reachedLimit } from "./resume-command.ts";

/** Begins of the reasons that the coordinator and the agents give. */
const BY_REASON: readonly (readonly [RegExp, string])[] = [
  [
    /^(the disk refused|the store|internal error)\b.*(\b(ENOSPC|EDQUOT)\b|no space left on device|disk quota exceeded|disk is full)/is,
    "free space where the run is kept",
  ],
  [/^the disk refused\b.*(\bEROFS\b|read-only file system)/is, "make the disk that holds the run writable again"],
  [/^the disk refused/, "see what is wrong with the disk that holds the run"],
  [/^the disk is full/, "free space where the run is kept"],
  [/^the store (stopped|has another writer)/, "see what is wrong with the disk that holds the run"],
  [/^internal error/, "this is a fault of skein: please report it; what landed is kept"],
  [/^no worker host could be kept running/, "skein doctor shows what this machine lacks"],
];

const BY_CODE: Readonly<Record<ModelError["code"], string>> = {
  unauthorized:
    "the provider refuses the key: see that the variable that holds it is right, and that the key may use this model",
  quota: "the account has no credit or quota left: add some, or name another model",
  "rate-limit":
    "the provider refused for too long: try again later, with fewer --workers or --requests-per-minute, or name another model",
  overloaded: "the provider was overloaded for too long: try again later, or name another model",
  "bad-request": "the provider does not accept the request: see that the model takes tools, or name another model",
  "not-found":
    "the provider knows no such model or address: see that the model's name is right, and its address (--base-url), or name another model",
  refusal: "the model declined: put the goal in other words, or name another model",
  "bad-answer": "what answers is no server of that kind of model: see the provider's name and its address (--base-url)",
  "no-content": "the model answers with nothing to go on with: name another model",
  unreachable: "the server cannot be reached: see its address (--base-url), that it runs, and the connection",
  network: "the connection to the server breaks off: see the connection and the server",
  other: "the provider failed again and again: try again later, or name another model",
  script: "mend the script: its format is in docs/script-model.md",
  replay:
    "the recording does not know this request: replay it on the commit, with the goal and the flags of the run that was recorded, or record anew",
};
const byCode: ReadonlyMap<string, string> = new Map(Object.entries(BY_CODE));

/** The next step for a person; null where nothing more can be said than the reason itself. */
export function adviceFor(reason: string): string | null {
  const limit = reachedLimit(reason);
  if (limit !== null) return limitAdvice(limit, reason);
  const known = BY_REASON.find(([begin]) => begin.test(reason));
  if (known !== undefined) return known[1];
  // The worker host gives it so where an agent's model fails.
  const code = /^the model (?:\S.{0,5000} )?failed \(([a-z-]+)\)/.exec(reason)?.[1];
  return code === undefined ? null : (byCode.get(code) ?? null);
}

/** Where a failing provider has used the limit up, a larger one alone would go the same way. */
function limitAdvice({ flag }: ReachedLimit, reason: string): string {
  const code = /; .*, the last: the model (?:\S.{0,5000} )?failed \(([a-z-]+)\)/s.exec(reason)?.[1];
  const failing = code === undefined ? undefined : byCode.get(code);
  if (failing === undefined) return `use a larger ${flag}`;
  const why = flag === "--budget" ? "what the failed attempts may have cost stays counted" : "failed requests count";
  return `${failing}; then use a larger ${flag}, since ${why}`;
}

export function modelAdvice(code: ModelError["code"]): string {
  return BY_CODE[code];
}
