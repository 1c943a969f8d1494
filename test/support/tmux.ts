// A real terminal of a given size: one tmux server a test, which types nothing and only shows.

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

export const hasTmux = spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0;

export interface Terminal extends Disposable {
  /** The screen and what has scrolled off it, a wrapped line as one, without trailing blanks. */
  lines(): readonly string[];
  /** What is on the screen now, row by row. */
  screen(): readonly string[];
  /** A format of tmux, for example `#{cursor_flag}`. */
  ask(format: string): string;
  type(keys: string): void;
  /** Another program in the same environment; what it printed, whether it failed or not. */
  run(argv: readonly [string, ...string[]]): string;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  /** Run by a shell, in the sandbox's environment. */
  readonly command: string;
}

export function terminal(box: Sandbox, { columns, rows, command }: TerminalOptions): Terminal {
  const socket = join(box.root, "tmux");
  const env = { ...box.env, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), command);
  tmux("set-option", "-g", "status", "off");
  tmux("set-option", "-g", "history-limit", "10000");
  const capture = (...flags: string[]): readonly string[] =>
    tmux("capture-pane", "-p", ...flags)
      .replace(/\n+$/, "")
      .split("\n");
  return {
    lines: () => capture("-J", "-S", "-").map((line) => line.trimEnd()),
    screen: () => capture(),
    ask: (format) => tmux("display-message", "-p", format).trimEnd(),
    type: (keys) => void tmux("send-keys", keys),
    run: ([program, ...args]) => spawnSync(program, args, { env, encoding: "utf8" }).stdout ?? "",
    [Symbol.dispose]: () => void spawnSync("tmux", ["-S", socket, "kill-server"], { env, stdio: "ignore" }),
  };
}
