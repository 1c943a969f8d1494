// One event of a session as a line of its file: what is written, and what a reader takes of it.
// Invariant: a line is complete in itself and says only what is new; every text in it is capped, so that a line fits one write.

import {
  flag,
  list,
  natural,
  nullable,
  object,
  oneOf,
  type Parsed,
  type Parser,
  parse,
  real,
  sparse,
  text,
} from "../../base/parse.ts";
import { CLIENT_NAMES } from "../client-event.ts";

export const lineVersion = 1;
/** Far more than any line has: a file of other content is not read as one. */
export const lineBytesMax = 64 * 1024;

export const limits = {
  pathChars: 1_000,
  idChars: 300,
  intentChars: 200,
  reasonChars: 120,
  filesOfLine: 100,
  toldOfLine: 40,
} as const;

const kinds = [
  "session-started",
  "prompt",
  "shell-started",
  "shell-ended",
  "files-edited",
  "waiting",
  "turn-ended",
  "interrupted",
  "compacting",
  "subagent-started",
  "subagent-ended",
  "moved",
  "session-ended",
  "seen",
  "intent",
  "crew",
] as const;

const path = text(limits.pathChars);
const id = text(limits.idChars);

const start = (value: unknown, at: string) =>
  isTicks(value) ? object({ kind: oneOf("ticks"), ticks: natural() })(value, at) : second(value, at);
const second = object({ kind: oneOf("second"), epochS: real, command: path });

function isTicks(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "ticks";
}

/** What is true of the session as a whole; written whenever any of it changes. */
export const FACTS = object({
  client: oneOf(...CLIENT_NAMES),
  session: id,
  agent: nullable(id),
  repository: path,
  cwd: path,
  process: nullable(object({ pid: natural(), start: nullable(start) })),
  shared: flag,
  machine: object({ host: id, boot: nullable(id), namespace: nullable(id) }),
  terminal: nullable(id),
  tmux: nullable(id),
  transcript: nullable(path),
});
export type Facts = Parsed<typeof FACTS>;

export const STANDING = object({
  worktree: path,
  branch: nullable(id),
  commit: nullable(id),
});
export type Standing = Parsed<typeof STANDING>;

export const MOVE = object({ from: STANDING, to: STANDING });
export type Move = Parsed<typeof MOVE>;

/** `tool`: the call said so. `shell`: found by comparing before and after. `unattributed`: it may have been somebody else. */
const touchHows = ["tool", "shell", "unattributed"] as const;
export type TouchHow = (typeof touchHows)[number];

const HEAD = object({ v: oneOf(lineVersion), at: natural(), kind: oneOf(...kinds) });

const SAID = sparse({
  facts: FACTS,
  standing: STANDING,
  /** HEAD moved, and the agent has not been told of it yet; false once it has. */
  untold: flag,
  /** HEAD moved during this command of the session's own, and during nobody else's. */
  ownMove: MOVE,
  /** Relative to the worktree where the file lies in it, else absolute. */
  files: list(path, limits.filesOfLine),
  how: oneOf(...touchHows),
  /** When the call began that touched the files. */
  from: natural(),
  call: id,
  intent: text(limits.intentChars * 2),
  intentBy: oneOf("agent", "prompt"),
  /** Whether a person typed the prompt; null in lines of before it was told. */
  person: flag,
  reason: text(limits.reasonChars * 2),
  source: id,
  background: natural(),
  crew: natural(),
  /** Peer and file that the agent was told of, so that it is told once. */
  told: list(text(limits.pathChars + limits.idChars), limits.toldOfLine),
});
export type Line = Parsed<typeof HEAD> & Parsed<typeof SAID>;

type Optional<T> = { readonly [K in keyof T as null extends T[K] ? K : never]?: T[K] };
/** A line to be written: what is left out is null. */
export type NewLine = Pick<Line, "at" | "kind"> & Optional<Omit<Line, "at" | "kind" | "v">>;

/** With its newline. Fields that say nothing are left out. */
export function encodeLine(line: NewLine): Uint8Array {
  const said = Object.entries({ v: lineVersion, ...line }).filter(([, value]) => value !== null && value !== undefined);
  return new TextEncoder().encode(`${JSON.stringify(Object.fromEntries(said))}\n`);
}

/** Null for what is no line of ours: torn, or of a newer version. */
export function decodeLine(json: string): Line | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const parsed = parse(LINE, value, "line");
  return parsed.ok ? parsed.value : null;
}

const LINE: Parser<Line> = (value, at) => ({ ...SAID(value, at), ...HEAD(value, at) });
