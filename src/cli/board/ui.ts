// What a person does with the board: keys to the next state of the screen, pure. Invariant: the selection is a session and not a line, so that
// it stays on it when lines move.

import { cleanLine } from "../../base/text.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import { type BoardView, isShown, type Project } from "../../sessions/board/view.ts";

export type Panel = "none" | "details" | "today" | "help";

export interface Ui {
  /** The selected session's key; null for the first. */
  readonly selected: string | null;
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
  readonly waitingOnly: boolean;
  readonly endedToo: boolean;
  readonly panel: Panel;
}

export const firstUi: Ui = {
  selected: null,
  filter: "",
  typing: false,
  waitingOnly: false,
  endedToo: false,
  panel: "none",
};

const filterCharsMax = 100;
const pageRows = 10;

export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "up" | "down" | "page-up" | "page-down" | "enter" | "escape" | "backspace" | "tab" };

export type Effect = { readonly kind: "quit" } | { readonly kind: "focus"; readonly row: BoardRow } | null;

/** The rows that pass the filters, in order, with their projects. */
export function filtered({ projects }: BoardView, ui: Ui): readonly Project[] {
  const words = ui.filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return projects.flatMap((project) => {
    const rows = project.rows.filter((row) => passes(row, project, ui, words));
    return rows.length === 0 ? [] : [{ ...project, rows }];
  });
}

function passes(row: BoardRow, project: Project, ui: Ui, words: readonly string[]): boolean {
  if (!ui.endedToo && !isShown(row)) return false;
  if (ui.waitingOnly && !row.needsPerson) return false;
  if (words.length === 0) return true;
  const { client, session, standing, intent, files } = row.row;
  const reason = row.state.kind === "working" ? "" : (row.state.reason ?? "");
  const texts = [project.name, client, session, standing?.branch ?? "", intent?.text ?? "", row.state.kind, reason];
  const text = [...texts, ...files.map(({ path }) => path)].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The selected row among these; the first where the selected one is not among them. */
export function selectedRow(projects: readonly Project[], { selected }: Ui): BoardRow | null {
  const rows = projects.flatMap((project) => project.rows);
  return rows.find(({ row }) => row.key === selected || row.earlier.some((key) => key === selected)) ?? rows[0] ?? null;
}

export function pressed(ui: Ui, key: Key, view: BoardView): { readonly ui: Ui; readonly effect: Effect } {
  if (ui.typing) return { ui: typed(ui, key), effect: null };
  const projects = filtered(view, ui);
  switch (key.kind) {
    case "up":
      return moved(ui, projects, -1);
    case "down":
      return moved(ui, projects, 1);
    case "page-up":
      return moved(ui, projects, -pageRows);
    case "page-down":
      return moved(ui, projects, pageRows);
    case "tab":
      return { ui: { ...ui, selected: nextWaiting(projects, ui)?.row.key ?? ui.selected }, effect: null };
    case "enter":
      return toggled(ui, "details");
    case "escape":
      return {
        ui: ui.panel === "none" ? { ...ui, filter: "", waitingOnly: false } : { ...ui, panel: "none" },
        effect: null,
      };
    case "backspace":
      return { ui, effect: null };
    case "text":
      return letter(ui, key.text, projects);
  }
}

function letter(ui: Ui, text: string, projects: readonly Project[]): { readonly ui: Ui; readonly effect: Effect } {
  const row = selectedRow(projects, ui);
  switch (text) {
    case "q":
      return { ui, effect: { kind: "quit" } };
    case "j":
      return moved(ui, projects, 1);
    case "k":
      return moved(ui, projects, -1);
    case "g":
      return moved(ui, projects, Number.NEGATIVE_INFINITY);
    case "G":
      return moved(ui, projects, Number.POSITIVE_INFINITY);
    case "f":
      return { ui, effect: row === null ? null : { kind: "focus", row } };
    case "/":
      return { ui: { ...ui, typing: true }, effect: null };
    case "w":
      return { ui: { ...ui, waitingOnly: !ui.waitingOnly }, effect: null };
    case "a":
      return { ui: { ...ui, endedToo: !ui.endedToo }, effect: null };
    case "d":
      return toggled(ui, "details");
    case "t":
      return toggled(ui, "today");
    case "?":
      return toggled(ui, "help");
    default:
      return { ui, effect: null };
  }
}

function typed(ui: Ui, key: Key): Ui {
  switch (key.kind) {
    case "enter":
      return { ...ui, typing: false };
    case "escape":
      return { ...ui, typing: false, filter: "" };
    case "backspace":
      return { ...ui, filter: [...ui.filter].slice(0, -1).join("") };
    case "text":
      return { ...ui, filter: cleanLine(`${ui.filter}${key.text}|`, filterCharsMax).slice(0, -1) };
    default:
      return ui;
  }
}

function toggled(ui: Ui, panel: Panel): { readonly ui: Ui; readonly effect: Effect } {
  return { ui: { ...ui, panel: ui.panel === panel ? "none" : panel }, effect: null };
}

function moved(ui: Ui, projects: readonly Project[], by: number): { readonly ui: Ui; readonly effect: Effect } {
  const rows = projects.flatMap((project) => project.rows);
  const current = selectedRow(projects, ui);
  const index = current === null ? 0 : rows.indexOf(current);
  const next = rows[Math.min(Math.max(index + by, 0), rows.length - 1)];
  return { ui: next === undefined ? ui : { ...ui, selected: next.row.key }, effect: null };
}

/** The one after the selected, from the beginning again after the last. */
function nextWaiting(projects: readonly Project[], ui: Ui): BoardRow | null {
  const rows = projects.flatMap((project) => project.rows);
  const current = selectedRow(projects, ui);
  const index = current === null ? -1 : rows.indexOf(current);
  return [...rows.slice(index + 1), ...rows.slice(0, index + 1)].find(({ needsPerson }) => needsPerson) ?? null;
}
