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

/** In the file's order. Never fails: what is not of our form is loose text. */
export function parseNotes(text: string): ParsedNotes {
  const notes: Note[] = [];
  const loose: LooseText[] = [];
  let torn = 0;
  let open: { readonly head: Omit<Note, "text">; readonly lines: string[] } | null = null;
  let free: string[] = [];
  const endFree = (): void => {
    if (free.length > 0) loose.push({ text: free.join("\n") });
    free = [];
  };
  const lines = text.split("\n");
  // What follows the last newline is a line only where there is something.
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  for (let index = 0; index < count; index++) {
    const line = withoutReturn(lines[index] ?? "");
    const head = line.startsWith("## ") ? headingOf(line) : null;
    if (head !== null) {
      if (open !== null) torn += 1;
      endFree();
      open = { head, lines: [] };
    } else if (open !== null && line.startsWith(">")) open.lines.push(line.slice(line.startsWith("> ") ? 2 : 1));
    else if (open !== null && line === "" && open.lines.length > 0) {
      notes.push({ ...open.head, text: open.lines.join("\n") });
      open = null;
    } else {
      if (open !== null) torn += 1;
      open = null;
      if (line.trim() === "") endFree();
      else free.push(line);
    }
  }
  if (open !== null) torn += 1;
  endFree();
  return { notes, loose, torn };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function headingOf(line: string): Omit<Note, "text"> | null {
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
    return { at, branch: String(JSON.parse(name)), mark };
  } catch {
    return null;
  }
}
