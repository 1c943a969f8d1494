// Takes out of a person's words what others must not get: keys, passwords, tokens, mail addresses, credentials in addresses. Each kind is
// found by itself in the text as it is, and all of it is taken out at once.
// Invariant: what is taken out cannot be read back, and the time it takes grows with the text's length and no faster.

import { mailAddresses, urlSecrets } from "./redact/addresses.ts";
import { commandOptions } from "./redact/command-options.ts";
import { markedKeys } from "./redact/marked-keys.ts";
import { namedValues } from "./redact/named-values.ts";
import { Scan, type Span } from "./redact/scan.ts";
import { dottedTokens, keyBlocks, numberedTokens, randomRuns } from "./redact/shaped-keys.ts";

const KINDS: readonly ((scan: Scan) => readonly Span[])[] = [
  keyBlocks,
  urlSecrets,
  markedKeys,
  dottedTokens,
  numberedTokens,
  namedValues,
  commandOptions,
  mailAddresses,
  randomRuns,
];

const MARK = "[redacted]";

export function redact(text: string): string {
  return redactIn(new Scan(text));
}

/** The same, with the characters that were looked at counted in `scan`. */
export function redactIn(scan: Scan): string {
  const spans = KINDS.flatMap((find) => find(scan)).sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  let taken = -1;
  for (const { start, end } of spans) {
    if (end <= at || end <= start) continue;
    // What overlaps or follows at once is one.
    if (start > at || taken !== at) parts.push(scan.text.slice(at, Math.max(at, start)), MARK);
    at = end;
    taken = end;
  }
  return parts.join("") + scan.text.slice(at);
}
