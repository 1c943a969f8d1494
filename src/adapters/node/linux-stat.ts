// Reads one line of /proc/PID/stat. Format: proc_pid_stat(5). The name may hold spaces and brackets, so fields are counted
// after the last `)`.

import type { ProcessLook } from "../../host/process-table.ts";

/** Fields after the name, from the third of the line. */
const STATE = 0;
const PARENT = 1;
const TERMINAL = 4;
const START_TICKS = 19;

export function readStatLine(line: string): ProcessLook {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ", START_TICKS + 1);
  const [parent, start] = [Number(fields[PARENT]), Number(fields[START_TICKS])];
  if (open < 0 || close < open || !Number.isSafeInteger(parent) || !Number.isSafeInteger(start))
    return { kind: "unreadable", message: "not a line of /proc/PID/stat" };
  // `X` is a process whose end is being worked on.
  if (fields[STATE] === "Z" || fields[STATE] === "X" || fields[STATE] === "x") return { kind: "zombie" };
  return {
    kind: "running",
    start: { kind: "ticks", ticks: start },
    parent,
    name: line.slice(open + 1, close),
    terminal: terminalName(Number(fields[TERMINAL])),
  };
}

/** Majors of pseudo terminals and of virtual consoles: the kernel's admin-guide/devices.txt. */
const PTS_MAJOR_MIN = 136;
const PTS_MAJOR_MAX = 143;
const TTY_MAJOR = 4;
const TTY_MINOR_MAX = 63;

/** The device number has its minor in bits 0–7 and 20–31 and its major in bits 8–19. */
function terminalName(device: number): string | null {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  if (major >= PTS_MAJOR_MIN && major <= PTS_MAJOR_MAX) return `pts/${(major - PTS_MAJOR_MIN) * 2 ** 20 + minor}`;
  return major === TTY_MAJOR && minor <= TTY_MINOR_MAX ? `tty${minor}` : null;
}
