// The cap of a child's result, counted in UTF-8 bytes: what a parent's context costs is counted by what is sent.

import type { Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import { capResult } from "./cap.ts";

/** `text`, or a version of at most `bytesMax` UTF-8 bytes with a note on where the whole is. */
export async function capBytes(
  text: string,
  bytesMax: number,
  save: (text: string) => Promise<Result<string, FileError>>,
): Promise<string> {
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes <= bytesMax) return text;
  const saved = await save(text);
  const once = async () => saved;
  // A unit has at most three bytes; where most have one, more of them fit.
  let charsMax = Math.floor((bytesMax * text.length) / bytes);
  for (;;) {
    const capped = await capResult(text, charsMax, once);
    const over = Buffer.byteLength(capped, "utf8") - bytesMax;
    if (over <= 0 || charsMax === 0) return capped;
    charsMax = Math.max(0, charsMax - Math.max(1, Math.ceil(over / 3)));
  }
}
