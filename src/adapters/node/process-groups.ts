// The process groups our children lead: signalled as a whole, and ended when this process ends by exit, uncaught error or a signal.
// A `kill -9` of this process cannot be seen here: its children then live on until they notice their closed pipes.
// A group's number stays reserved while one member lives; one seen empty is never signalled again, since the number may be reused.

type Signal = "SIGTERM" | "SIGKILL" | "SIGINT";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** By leader, with what the group gets when this process ends. */
const groups = new Map<number, "SIGKILL" | "SIGTERM">();

/** Called right after the leader was started. */
export function trackGroup(leader: number, atExit: "SIGKILL" | "SIGTERM"): void {
  sweep();
  if (groups.size === 0) listen();
  groups.set(leader, atExit);
}

/** Called when the leader has been reaped: the group goes on only if it has other members. */
export function leaderEnded(leader: number): void {
  if (!send(leader, 0)) forget(leader);
}

/** Does nothing for a group that is gone. */
export function signalGroup(leader: number, signal: Signal): void {
  if (groups.has(leader) && !send(leader, signal)) forget(leader);
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
  for (const [leader, atExit] of groups) send(leader, atExit);
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
