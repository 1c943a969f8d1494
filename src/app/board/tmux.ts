// The tmux server that a session runs in: whether its pane is in front of somebody, bringing it there, a word on its clients' screens.
// Invariant: a record's text reaches tmux only as a checked pane and socket, and never as a format, which tmux would expand.

import { isAbsolute } from "node:path";
import { cleanLine } from "../../base/text.ts";
import { outputOf } from "../../sessions/presence/program-output.ts";
import { type Surroundings, shellEnvironment } from "../surroundings.ts";

export interface Pane {
  /** `%3`. */
  readonly id: string;
  /** The server's; null for the usual one. */
  readonly socket: string | null;
}

const tmuxMsMax = 2_000;
const outputBytesMax = 64 * 1024;
const textCharsMax = 200;

/** What `TMUX_PANE` and `TMUX` of a session said: `%3 /tmp/tmux-1000/default`. Null for anything else. */
export function paneOf(recorded: string | null): Pane | null {
  const [, id, socket] = /^(%\d{1,9})(?: (\/[^\0\n]{1,200}))?$/.exec(recorded ?? "") ?? [];
  if (id === undefined || (socket !== undefined && !isAbsolute(socket))) return null;
  return { id, socket: socket ?? null };
}

/** A client of the server shows this pane now. False where it cannot be told. */
export async function isInFront(surroundings: Surroundings, pane: Pane): Promise<boolean> {
  const shown = await run(surroundings, pane, ["list-clients", "-F", "#{pane_id}"]);
  return shown?.split("\n").includes(pane.id) ?? false;
}

export type FocusEnd = "shown" | "selected" | "gone";

/** `shown`: on a client's screen. `selected`: nobody looks at that server; whoever attaches sees it. `gone`: no such pane, server or tmux. */
export async function focusPane(surroundings: Surroundings, pane: Pane): Promise<FocusEnd> {
  const selected = await run(surroundings, pane, ["select-window", "-t", pane.id, ";", "select-pane", "-t", pane.id]);
  if (selected === null) return "gone";
  const clients = (await run(surroundings, pane, ["list-clients", "-F", "#{client_name}"]))?.split("\n") ?? [];
  // Ours, if it is on that server: the one that this program was started in, else whoever is attached.
  const own = await ownClient(surroundings, pane);
  const shown = own === null ? clients.filter((name) => name !== "") : [own];
  for (const name of shown) await run(surroundings, pane, ["switch-client", "-c", name, "-t", pane.id]);
  return shown.length > 0 ? "shown" : "selected";
}

/** A line on the screens of all clients of the server. False where there is none. */
export async function tellClients(surroundings: Surroundings, pane: Pane, text: string): Promise<boolean> {
  const clients = (await run(surroundings, pane, ["list-clients", "-F", "#{client_name}"]))?.split("\n") ?? [];
  const named = clients.filter((name) => name !== "");
  // tmux expands `#` and `%` in a message, and `#(…)` would even be run.
  const harmless = cleanLine(text, textCharsMax).replace(/[#%]/g, "_");
  for (const name of named)
    await run(surroundings, pane, ["display-message", "-c", name, "-d", "5000", "--", harmless]);
  return named.length > 0;
}

async function ownClient(surroundings: Surroundings, { socket }: Pane): Promise<string | null> {
  const own = paneOf(`${surroundings.env.TMUX_PANE ?? ""} ${surroundings.env.TMUX?.split(",")[0] ?? ""}`.trim());
  if (own === null || own.socket !== socket) return null;
  const name = await run(surroundings, own, ["display-message", "-p", "-t", own.id, "#{client_name}"]);
  return name === null || name === "" ? null : name;
}

/** What it printed, without the last line end; null where it failed. */
async function run(surroundings: Surroundings, { socket }: Pane, args: readonly string[]): Promise<string | null> {
  const { host, env, cwd } = surroundings;
  const place = socket === null ? [] : ["-S", socket];
  const printed = await outputOf(host)({
    argv: ["tmux", "-u", ...place, ...args],
    cwd,
    env: { ...shellEnvironment(env), ...(env.TMUX_TMPDIR === undefined ? {} : { TMUX_TMPDIR: env.TMUX_TMPDIR }) },
    msMax: tmuxMsMax,
    bytesMax: outputBytesMax,
  });
  return printed === null ? null : Buffer.from(printed).toString("utf8").replace(/\n$/, "");
}
