// A notice as an escape sequence of the terminal in use: the few that are known to take one, through tmux where that lets it pass.
// Invariant: the text in it is cleaned, so that it ends where we end it.

import { cleanLine } from "../base/text.ts";

export interface TerminalNotice {
  readonly title: string;
  readonly text: string;
}

const charsMax = 200;
const ESC = "\u001b";
const BELL = "\u0007";

export const bell = BELL;

/**
 * Null where no form is known for the terminal. OSC 9: iTerm2, WezTerm, Ghostty (https://iterm2.com/documentation-escape-codes.html);
 * OSC 777: foot, rxvt-unicode; OSC 99: kitty (https://sw.kovidgoyal.net/kitty/desktop-notifications/).
 */
export function terminalNotice(
  notice: TerminalNotice,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const form = formFor(env);
  if (form === null) return null;
  const sequence = sequenceOf(form, { title: clean(notice.title), text: clean(notice.text) });
  // Within tmux the outer terminal gets it by a passthrough, if its person has allowed that (`allow-passthrough`).
  return env.TMUX === undefined ? sequence : `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}

type Form = "osc9" | "osc777" | "osc99";

function formFor(env: Readonly<Record<string, string | undefined>>): Form | null {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "", KITTY_WINDOW_ID } = env;
  if (KITTY_WINDOW_ID !== undefined || TERM === "xterm-kitty") return "osc99";
  const names = [TERM_PROGRAM, LC_TERMINAL, TERM].map((name) => name.toLowerCase());
  if (names.some((name) => /iterm|wezterm|ghostty/.test(name))) return "osc9";
  return names.some((name) => /^(foot|rxvt)/.test(name)) ? "osc777" : null;
}

function sequenceOf(form: Form, { title, text }: TerminalNotice): string {
  switch (form) {
    case "osc9":
      return `${ESC}]9;${title}: ${text}${BELL}`;
    case "osc777":
      return `${ESC}]777;notify;${title.replaceAll(";", ",")};${text.replaceAll(";", ",")}${BELL}`;
    case "osc99":
      return `${ESC}]99;i=skein:d=0;${title}${ESC}\\${ESC}]99;i=skein:p=body;${text}${ESC}\\`;
  }
}

function clean(text: string): string {
  return cleanLine(text, charsMax);
}
