// Untrusted text: capped and cleaned before a person or a model sees it.

/** C0 and C1 control characters but tab and newline, plus the bidirectional overrides. */

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of any origin without control characters (tab and newline stay), cut to `charsMax` UTF-16 units. */
export function cleanText(text: string, charsMax: number): string {
  const clean = text.replaceAll("\r\n", "\n").replace(CONTROL, "\ufffd");
  if (clean.length <= charsMax) return clean;
  const end = isHighSurrogate(clean.charCodeAt(charsMax - 1)) ? charsMax - 1 : charsMax;
  return `${clean.slice(0, end)}… [${clean.length - end} more characters]`;
}

/** As `cleanText`, on one line: for names and titles in lists. */
export function cleanLine(text: string, charsMax: number): string {
  return cleanText(text.replace(/\s+/g, " ").trim(), charsMax);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
