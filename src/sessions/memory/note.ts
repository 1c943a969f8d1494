// One note as text in its session's file: a heading that says when and on which branch, the words quoted line by line, an empty line.
// Invariant: no words of a note can look like a heading, and a note that was torn while it was written has no empty line after it.

/** The file of each kind is `<kind>.md`. */
export const NOTE_KINDS = ["scratchpad", "decisions", "questions"] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** A question has an id, by which another session's answer, in that one's own file, names it. */
export type NoteMark =
  | { readonly kind: "plain" }
  | { readonly kind: "question"; readonly id: string }
  | { readonly kind: "answer"; readonly to: string };

export interface Note {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Null where there was none: outside git, or on a detached HEAD. */
  readonly branch: string | null;
  readonly mark: NoteMark;
  /** As it was written: cleaned and capped where it is shown. */
  readonly text: string;
}

/** What stands in a file without a heading of ours: somebody wrote it there by hand, and nobody knows when or on which branch. */
export interface LooseText {
  readonly text: string;
}

export interface ParsedNotes {
  readonly notes: readonly Note[];
  readonly loose: readonly LooseText[];
  /** Torn ends, which are in nobody's view. */
  readonly torn: number;
}

const HEADING =
  /^## (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) branch (-|"(?:[^"\\]|\\.)*")(?: (question|answers) ([0-9a-f]{8}))?$/;

/** With the empty line that ends it. `text` has at least one character. */
export function formatNote({ at, branch, mark, text }: Note): string {
  const name = branch === null ? "-" : JSON.stringify(branch);
  const words = mark.kind === "plain" ? "" : mark.kind === "question" ? ` question ${mark.id}` : ` answers ${mark.to}`;
  return `## ${new Date(at).toISOString()} branch ${name}${words}\n${quotedLines(text)}\n\n`;
}

/** Each line behind `> `, whatever ends it. */
export function quotedLines(text: string): string {
  return linesOf(text)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** Every character that somebody's program takes for the end of a line is one. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
}

export type NoteHead = Omit<Note, "text">;

/** Where a note, or text without a heading, stands in its file: from its first character to behind the last of its lines. */
export interface NotePiece {
  readonly start: number;
  readonly end: number;
  /** Null for what has no heading of ours. */
  readonly head: NoteHead | null;
}

/**
 * In the file's order, with no torn note among them. `text` may also be bytes as characters (latin1), so that places are counted in bytes: then
 * `decode` makes text of such a piece.
 */
export function piecesIn(
  text: string,
  decode: (piece: string) => string = (piece) => piece,
): { readonly pieces: readonly NotePiece[]; readonly torn: number } {
  const pieces: NotePiece[] = [];
  let torn = 0;
  let open: { readonly head: NoteHead; readonly start: number; words: number } | null = null;
  let free: { readonly start: number; end: number } | null = null;
  const endFree = (): void => {
    if (free !== null) pieces.push({ ...free, head: null });
    free = null;
  };
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const next = newline < 0 ? text.length : newline + 1;
    const quoted = text.charCodeAt(start) === quoteMark;
    const line = quoted ? "" : withoutReturn(text.slice(start, newline < 0 ? next : newline));
    const head = line.startsWith("## ") ? headingOf(line, decode) : null;
    if (head !== null) {
      if (open !== null) torn += 1;
      endFree();
      open = { head, start, words: 0 };
    } else if (open !== null && quoted) open.words += 1;
    else if (open !== null && line === "" && !quoted && open.words > 0) {
      pieces.push({ start: open.start, end: next, head: open.head });
      open = null;
    } else {
      if (open !== null) torn += 1;
      open = null;
      if (!quoted && BLANK.test(line)) endFree();
      else if (free === null) free = { start, end: next };
      else free.end = next;
    }
    start = next;
  }
  if (open !== null) torn += 1;
  endFree();
  return { pieces, torn };
}

const quoteMark = 0x3e;
const BLANK = /^[ \t\r\v\f]*$/;

/** In the file's order. Never fails: what is not of our form is loose text. */
export function parseNotes(text: string): ParsedNotes {
  const notes: Note[] = [];
  const loose: LooseText[] = [];
  const { pieces, torn } = piecesIn(text);
  for (const { start, end, head } of pieces) {
    const words = wordsOf(text.slice(start, end), head !== null);
    if (head === null) loose.push({ text: words });
    else notes.push({ ...head, text: words });
  }
  return { notes, loose, torn };
}

/** What a piece says: without its heading and marks, or as it stands. */
export function wordsOf(piece: string, hasHeading: boolean): string {
  const lines = piece.split("\n");
  if (!hasHeading)
    return lines
      .slice(0, lines.at(-1) === "" ? -1 : undefined)
      .map(withoutReturn)
      .join("\n");
  return lines
    .filter((line) => line.startsWith(">"))
    .map((line) => withoutReturn(line).slice(line.startsWith("> ") ? 2 : 1))
    .join("\n");
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function headingOf(line: string, decode: (piece: string) => string): NoteHead | null {
  const [, time = "", name = "", word, id = ""] = HEADING.exec(line) ?? [];
  const at = Date.parse(time);
  if (Number.isNaN(at)) return null;
  const mark: NoteMark =
    word === "question"
      ? { kind: "question", id }
      : word === "answers"
        ? { kind: "answer", to: id }
        : { kind: "plain" };
  if (name === "-") return { at, branch: null, mark };
  try {
    return { at, branch: String(JSON.parse(decode(name))), mark };
  } catch {
    return null;
  }
}
