// The processes of one command wherever they went: those that carry its mark in their environment, and those that descend from it. A
// process can leave its group and its session (`setsid`), its environment at the start stays. Linux only, from /proc (proc(5)): elsewhere
// nothing is found. What both changed its environment and lost its parents is not found either.

import { readdirSync, readFileSync } from "node:fs";

/** The variable that carries the mark of a command. */
export const markVariable = "SKEIN_CALL";

/** A process may start another while it is looked for. */
const roundsMax = 5;

export interface ProcessId {
  readonly pid: number;
  /** Clock ticks since the boot: a number that is used again has another. */
  readonly startedAt: string;
}

interface Seen extends ProcessId {
  readonly parent: number;
}

/** Kills every process that carries one of the marks or is among `known`, and all below them. */
export function killTrees(marks: ReadonlySet<string>, known: readonly ProcessId[]): void {
  for (let round = 0; round < roundsMax; round++) {
    const all = processes();
    const roots = all.filter(
      (one) =>
        known.some(({ pid, startedAt }) => pid === one.pid && startedAt === one.startedAt) ||
        marks.has(markOf(one.pid)),
    );
    const found = [...roots, ...below(roots, all)].filter(({ pid }) => pid !== process.pid);
    if (found.length === 0) return;
    for (const { pid } of found) kill(pid);
  }
}

/** All that descends from the process, as it stands now. */
export function descendants(pid: number): readonly ProcessId[] {
  const all = processes();
  return below(
    all.filter((one) => one.pid === pid),
    all,
  );
}

function below(roots: readonly Seen[], all: readonly Seen[]): readonly Seen[] {
  const found = new Set(roots.map(({ pid }) => pid));
  const added: Seen[] = [];
  for (let before = -1; before !== added.length; ) {
    before = added.length;
    for (const one of all) {
      if (found.has(one.pid) || !found.has(one.parent)) continue;
      found.add(one.pid);
      added.push(one);
    }
  }
  return added;
}

/** Those that live; a process that has ended and was not waited for is none. */
function processes(): readonly Seen[] {
  return numbers().flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    // The program's name may hold blanks and brackets.
    const [state, parent, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Field 22 of the whole line: 20 after the name.
    const startedAt = fields[17];
    return startedAt === undefined || state === "Z" ? [] : [{ pid, parent: Number(parent), startedAt }];
  });
}

function markOf(pid: number): string {
  const entry = read(`/proc/${pid}/environ`)
    .split("\0")
    .find((one) => one.startsWith(`${markVariable}=`));
  return entry === undefined ? "" : entry.slice(markVariable.length + 1);
}

function numbers(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Empty for a process that is gone or somebody else's. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was quicker.
  }
}
