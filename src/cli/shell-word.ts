// One word for a shell, for commands that a person is to type: never with a character that a terminal would act upon.

const PLAIN = /^[A-Za-z0-9_./:@%+=-]+$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const ESCAPED = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069'\\]/g;

/** Quoted for a POSIX shell where it must be; with control characters as `$'…'`, which bash, zsh and ksh know. */
export function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!CONTROL.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${word.replace(ESCAPED, escaped)}'`;
}

function escaped(char: string): string {
  if (char === "'" || char === "\\") return `\\${char}`;
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
