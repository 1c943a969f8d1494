// Text without its comments and without what carries no meaning at a line's end. No language is known here: the marks of
// the common ones are taken, only where nothing but a comment is likely, and on all sides of a hunk alike.

/** C's block comments and HTML's, where they are closed, then `//`, `#` and `--` up to the line's end. */
const BLOCK = /(?<![^\s({[,;=])\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g;
const LINE = /(?:(?<![^\s;,{}()[\]])\/\/|(?<!\S)(?:#|--)(?=\s|$))[^\n]*/gm;
const TRAILING = /[\s;,.]+$/;

export function withoutComments(text: string): string {
  return text.replace(BLOCK, " ").replace(LINE, "");
}

/** The lines that say something: comments, blank lines, and white space and punctuation at a line's end are left out. */
export function tellingLines(text: string): readonly string[] {
  return withoutComments(text)
    .split("\n")
    .map((line) => line.replace(TRAILING, ""))
    .filter((line) => line !== "");
}
