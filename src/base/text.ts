// Untrusted text: capped where it is kept, cleaned before a person or a model sees it. What is kept and what programs get is what it
// was: a control character that was replaced on the way could not be told from one that was there.

/** C0 and C1 control characters but tab and newline, plus the bidirectional overrides. */

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of any origin without control characters (tab and newline stay), cut to `charsMax` UTF-16 units. */
export function cleanText(text: string, charsMax: number): string {
  return capText(text.replaceAll("\r\n", "\n").replace(CONTROL, "\ufffd"), charsMax);
}

/** The text itself, cut to `charsMax` UTF-16 units: for what is stored, and for JSON, which carries every character as an escape. */
export function capText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = isHighSurrogate(text.charCodeAt(charsMax - 1)) ? charsMax - 1 : charsMax;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}

/** As `capText`, on one line. */
export function capLine(text: string, charsMax: number): string {
  return capText(text.replace(/\s+/g, " ").trim(), charsMax);
}

/** As `cleanText`, on one line: for names and titles in lists. */
export function cleanLine(text: string, charsMax: number): string {
  return cleanText(text.replace(/\s+/g, " ").trim(), charsMax);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
