// The cap on what one tool result may put into a model's context: head and tail stay, the full text is saved and its path named.

import type { Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";

/** Of a window that nobody knows; of those that are sold today few are smaller. */
const windowTokensUnknown = 128_000;
/** All results of one answer together may have this share of the window, of about 3 characters a token. */
const batchShare = 0.25;
const charsPerToken = 3;
/** With fewer a result says nothing. */
const resultCharsMin = 1_000;

export interface ResultLimits {
  readonly resultCharsMax: number;
  /** Tokens; null where it is not known. */
  readonly contextTokens: number | null;
}

/** What each result may have where an answer makes so many calls, so that all of them together leave room in the window. */
export function resultCharsFor({ resultCharsMax, contextTokens }: ResultLimits, calls: number): number {
  const batch = (contextTokens ?? windowTokensUnknown) * batchShare * charsPerToken;
  return Math.min(resultCharsMax, Math.max(resultCharsMin, Math.floor(batch / Math.max(1, calls))));
}

/** `text`, or a version of at most about `charsMax` UTF-16 units; `save` stores the full text and answers its path. */
export async function capResult(
  text: string,
  charsMax: number,
  save: (text: string) => Promise<Result<string, FileError>>,
): Promise<string> {
  if (text.length <= charsMax) return text;
  const saved = await save(text);
  const where = saved.ok
    ? `the full text is in ${saved.value}: read the part you need of it, or search it`
    : `the full text could not be saved: ${saved.error.message}`;
  const note = (left: number) => `\n[… ${left} of ${text.length} characters left out here; ${where} …]\n`;
  const kept = Math.max(0, charsMax - note(text.length).length);
  const head = headOf(text, Math.ceil(kept / 2));
  const tail = tailOf(text, Math.floor(kept / 2));
  return head + note(text.length - head.length - tail.length) + tail;
}

/** The first `chars` units, one less where a surrogate pair would be cut. */
function headOf(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

function tailOf(text: string, chars: number): string {
  const start = text.length - chars;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}
