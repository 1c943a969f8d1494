// The board's view: sessions by project, in an order that does not jump. Invariant: who waits for a person longest stands first in its project.

import { basename, dirname } from "node:path";
import type { BoardRow } from "./board-row.ts";

export interface BoardView {
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly projects: readonly Project[];
  readonly problems: readonly string[];
}

export interface Project {
  /** The repository's common directory, or the directory itself where there is no git. */
  readonly repository: string;
  /** Short, and told apart from others of the same name. */
  readonly name: string;
  readonly rows: readonly BoardRow[];
}

export function boardView(rows: readonly BoardRow[], problems: readonly string[], at: number): BoardView {
  const groups = Map.groupBy(rows, ({ row }) => row.facts.repository);
  const names = projectNames([...groups.keys()]);
  const projects = [...groups].map(([repository, members]) => ({
    repository,
    name: names.get(repository) ?? repository,
    rows: members.toSorted(byNeed),
  }));
  return { at, projects: projects.toSorted((a, b) => compare(a.name, b.name)), problems };
}

/** Neither over nor dead, or it died in the middle of a turn, which somebody should know. */
export function isShown({ row, state, died }: BoardRow): boolean {
  return died || (row.liveness.kind !== "dead" && state.kind !== "ended");
}

/** The waiting first, longest first; then those at work in the order of their beginning, so that a line stays where it is. */
function byNeed(a: BoardRow, b: BoardRow): number {
  return (
    rank(a) - rank(b) ||
    (a.needsPerson ? a.since - b.since : a.row.firstAt - b.row.firstAt) ||
    compare(a.row.key, b.row.key)
  );
}

function rank(row: BoardRow): number {
  if (row.needsPerson) return 0;
  if (row.state.kind === "working") return 1;
  return isShown(row) ? 2 : 3;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The directory's name; with its parent's where two have the same. */
function projectNames(repositories: readonly string[]): ReadonlyMap<string, string> {
  const short = repositories.map((path) => [path, basename(placeOf(path))] as const);
  const count = Map.groupBy(short, ([, name]) => name);
  return new Map(
    short.map(([path, name]) => {
      const twice = (count.get(name)?.length ?? 0) > 1;
      return [path, twice ? `${basename(dirname(placeOf(path)))}/${name}` : name];
    }),
  );
}

/** Where people see the repository: not its `.git` or `.bare`. */
function placeOf(path: string): string {
  const name = basename(path);
  return name === ".git" || name === ".bare" ? dirname(path) : path.replace(/\.git$/, "");
}
