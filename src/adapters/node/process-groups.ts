// The process groups our children lead: signalled as a whole, and ended when this process ends by exit, uncaught error or a signal.
// A `kill -9` of this process cannot be seen here: that is the watcher's (lifeline.ts). A group with a mark is ended with all that left it.
// A group's number stays reserved while one member lives; one seen empty is never signalled again, since the number may be reused.

import { descendants, killTrees, type ProcessId } from "./process-tree.ts";

type Signal = "SIGTERM" | "SIGKILL" | "SIGINT";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface TrackedGroup {
  /** What it gets when this process ends. */
  readonly atExit: "SIGKILL" | "SIGTERM";
  /** In the environment of all that belongs to it; null for a group that ends as a group alone. */
  readonly mark: string | null;
}

interface Group extends TrackedGroup {
  /** What descended from its leader when it was last signalled: some may have left the group and changed their environment. */
  known: readonly ProcessId[];
  leaderLives: boolean;
}

/** By leader. */
const groups = new Map<number, Group>();

/** Called right after the leader was started. */
export function trackGroup(leader: number, group: TrackedGroup): void {
  sweep();
  if (groups.size === 0) listen();
  groups.set(leader, { ...group, known: [], leaderLives: true });
}

/** Called when the leader has been reaped: the group goes on only if it has other members. */
export function leaderEnded(leader: number): void {
  const group = groups.get(leader);
  if (group !== undefined) group.leaderLives = false;
  if (!send(leader, 0)) forget(leader);
}

/** Does nothing for a group that is gone. */
export function signalGroup(leader: number, signal: Signal): void {
  const group = groups.get(leader);
  if (group === undefined) return;
  if (group.mark !== null && group.leaderLives) group.known = [...group.known, ...descendants(leader)];
  const left = send(leader, signal);
  if (signal === "SIGKILL" && group.mark !== null) killTrees(marksOf([group]), group.known);
  if (!left) forget(leader);
}

function marksOf(of: readonly Group[]): ReadonlySet<string> {
  return new Set(of.flatMap(({ mark }) => mark ?? []));
}

function sweep(): void {
  for (const leader of groups.keys()) {
    if (!send(leader, 0)) forget(leader);
  }
}

function forget(leader: number): void {
  groups.delete(leader);
  if (groups.size === 0) unlisten();
}

/** False if the group has no member left. */
function send(leader: number, signal: Signal | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (cause) {
    // EPERM: members exist, but run under another user by now.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

function killAll(): void {
  const known = [...groups].flatMap(([leader, { mark, known }]) =>
    mark === null ? [] : [...known, ...descendants(leader)],
  );
  for (const [leader, { atExit }] of groups) send(leader, atExit);
  const marks = marksOf([...groups.values()]);
  if (marks.size > 0) killTrees(marks, known);
}

function listen(): void {
  process.on("exit", killAll);
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
}

function unlisten(): void {
  process.off("exit", killAll);
  for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  // Where the program handles the signal itself, the end is its decision, and `exit` will kill the groups.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unlisten();
  // Without a listener the signal has its default effect again, so our parent sees how we died.
  process.kill(process.pid, signal);
}
