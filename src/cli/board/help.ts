// The board's keys and marks.

import type { Colors } from "../io.ts";

export function helpLines(colors: Colors): readonly string[] {
  const line = (keys: string, what: string): string => `  ${colors.bold(keys.padEnd(14))} ${what}`;
  return [
    line("↑ ↓ j k", "select a session; g and G the first and the last, page up and down a page"),
    line("tab", "the next session that waits for you"),
    line("enter d", "details of it"),
    line("f", "its tmux pane comes to the front"),
    line("/", "filter by words: project, client, branch, intent, file, state"),
    line("w  a", "only those that wait for you; also those that have ended"),
    line("t", "how long each worked and waited today"),
    line("esc  q", "closes this, drops the filters; quits; Ctrl-Z leaves it to the shell, fg brings it back"),
    line("▶ ● ✗ ?", "waits for you, works, died in mid-turn, nobody knows whether it lives"),
  ];
}
