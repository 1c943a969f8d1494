// The sequences as the terminals' own documentation gives them.

import { expect, test } from "vitest";
import { terminalNotice } from "./terminal-notice.ts";

test("each terminal's own form, none for one that is not known, through tmux, and no way out of the sequence", () => {
  const notice = { title: "skein", text: "codex 1: a;b\u0007\u001b]52;c;x" };
  expect([
    terminalNotice(notice, { TERM_PROGRAM: "iTerm.app" }),
    terminalNotice(notice, { TERM: "foot" }),
    terminalNotice({ title: "skein", text: "x" }, { TERM: "xterm-kitty" }),
    terminalNotice(
      { title: "skein", text: "x" },
      { TERM: "tmux-256color", TERM_PROGRAM: "tmux", LC_TERMINAL: "iTerm2", TMUX: "/s,1,0" },
    ),
    terminalNotice(notice, { TERM: "xterm-256color" }),
  ]).toEqual([
    "\u001b]9;skein: codex 1: a;b\ufffd\ufffd]52;c;x\u0007",
    "\u001b]777;notify;skein;codex 1: a,b\ufffd\ufffd]52,c,x\u0007",
    "\u001b]99;i=skein:d=0;skein\u001b\\\u001b]99;i=skein:p=body;x\u001b\\",
    "\u001bPtmux;\u001b\u001b]9;skein: x\u0007\u001b\\",
    null,
  ]);
});
