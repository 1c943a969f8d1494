// Reads what macOS's `ps` prints of processes. Written against recorded outputs and not yet tried on a machine.
// Columns: ps(1) of macOS; `lstart` is the start as `Mon Nov 30 00:39:14 2026`, here always in UTC.

import type { ProcessLook } from "../../host/process-table.ts";

/** The columns that `readPsLines` reads, for `-o`. `comm` stands last, since it may hold spaces. */
export const PS_COLUMNS = "pid=,ppid=,stat=,tty=,lstart=,comm=";

const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+\S{3}\s+(\S{3})\s+(\d{1,2})\s+(\d\d):(\d\d):(\d\d)\s+(\d{4})\s+(.+?)\s*$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** By number; lines of another form are left out, so that what they would tell stays unknown. */
export function readPsLines(output: string): ReadonlyMap<number, ProcessLook> {
  const looks = new Map<number, ProcessLook>();
  for (const line of output.split("\n")) {
    const [, pid, parent, state = "", terminal, month = "", day, hour, minute, second, year, command = ""] =
      LINE.exec(line) ?? [];
    const monthIndex = MONTHS.indexOf(month);
    if (pid === undefined || monthIndex < 0) continue;
    if (state.startsWith("Z")) {
      looks.set(Number(pid), { kind: "zombie" });
      continue;
    }
    const startMs = Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
    looks.set(Number(pid), {
      kind: "running",
      start: { kind: "second", epochS: startMs / 1000, command },
      parent: Number(parent),
      name: command.slice(command.lastIndexOf("/") + 1),
      // `??` and `-` stand for none.
      terminal: terminal === undefined || /^[?-]+$/.test(terminal) ? null : terminal,
    });
  }
  return looks;
}
