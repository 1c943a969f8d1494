// How an answer's faults are said to the arbiter that has to mend it.

import { cleanLine } from "../../base/text.ts";
import type { UnknownBytes } from "../../vcs/merge/answer-bytes.ts";

const pathCharsMax = 200;
const lineCharsMax = 200;
/** Of an arbiter's reason, as it stands in the history. */
export const reasonCharsMax = 500;

export function shown({ path }: { readonly path: string }): string {
  return cleanLine(path, pathCharsMax);
}

export function describeUnknownBytes({ line, text }: UnknownBytes): string {
  const where = `line ${line} of the answer ("${cleanLine(text, lineCharsMax)}")`;
  return `${where} has U+FFFD, which stands for bytes that are no text and are not known here. Repeat a side's line word for word to keep its bytes, or \`take\` a side, alone or one after the other`;
}
