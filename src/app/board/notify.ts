// Tells a person that a session waits: through tmux, the desktop, or their terminal. Invariant: not for a pane that is in front of somebody.

import type { BoardRow } from "../../sessions/board/board-row.ts";
import { outputOf } from "../../sessions/presence/program-output.ts";
import { type Surroundings, shellEnvironment } from "../surroundings.ts";
import { isInFront, paneOf, tellClients } from "./tmux.ts";

/** `terminal` is the escape sequence that the terminal knows, `desktop` is `notify-send`. */
export const NOTICE_WAYS = ["tmux", "desktop", "terminal", "bell"] as const;
export type NoticeWay = (typeof NOTICE_WAYS)[number];

export interface Notice {
  readonly title: string;
  readonly text: string;
}

export interface NoticePlan {
  readonly ways: readonly NoticeWay[];
  /** The terminal's own part, which the command has. */
  readonly onTerminal: (notice: Notice, way: "terminal" | "bell") => void;
}

const desktopMsMax = 3_000;
const outputBytesMax = 4 * 1024;

/** The ways that took it; empty where the session's pane is in front. */
export async function notifyPerson(
  surroundings: Surroundings,
  { row }: BoardRow,
  notice: Notice,
  { ways, onTerminal }: NoticePlan,
): Promise<{ readonly inFront: boolean; readonly taken: readonly NoticeWay[] }> {
  const pane = paneOf(row.facts.tmux);
  if (pane !== null && (await isInFront(surroundings, pane))) return { inFront: true, taken: [] };
  const taken: NoticeWay[] = [];
  for (const way of ways) {
    switch (way) {
      case "tmux":
        if (pane !== null && (await tellClients(surroundings, pane, `${notice.title}: ${notice.text}`)))
          taken.push(way);
        break;
      case "desktop":
        if (await onDesktop(surroundings, notice)) taken.push(way);
        break;
      case "terminal":
      case "bell":
        onTerminal(notice, way);
        taken.push(way);
        break;
    }
  }
  return { inFront: false, taken };
}

async function onDesktop({ host, env, cwd }: Surroundings, { title, text }: Notice): Promise<boolean> {
  const reached: Record<string, string> = {};
  for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XAUTHORITY"]) {
    const value = env[name];
    if (value !== undefined) reached[name] = value;
  }
  const printed = await outputOf(host)({
    argv: ["notify-send", "--app-name=skein", "--", title, markup(text)],
    cwd,
    env: { ...shellEnvironment(env), ...reached },
    msMax: desktopMsMax,
    bytesMax: outputBytesMax,
  });
  return printed !== null;
}

/** Servers take the body for markup. */
function markup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
