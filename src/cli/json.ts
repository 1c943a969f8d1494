// One line of JSON for programs that is safe on a terminal too: what no terminal should get stands as its escape, which loses nothing.

/** Control characters that JSON leaves as they are, and those that turn the direction of text. */
const RAW = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function jsonLine(value: object): string {
  return JSON.stringify(value).replace(RAW, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
