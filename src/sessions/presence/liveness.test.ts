// The verdict on a session's process: each case that made a real tool believe in a ghost or bury somebody alive.

import { expect, test } from "vitest";
import type { ProcessLook } from "../../host/process-table.ts";
import { testMachine } from "../../testing/sessions/fake-process-table.ts";
import { type LivenessCase, livenessOf, sharedSilentMsMax } from "./liveness.ts";

const start = { kind: "ticks", ticks: 5_000 } as const;
const running: ProcessLook = { kind: "running", start, parent: 1, name: "claude", terminal: null };

const base: LivenessCase = {
  process: { pid: 42, start },
  recorded: testMachine,
  here: testMachine,
  look: running,
  shared: false,
  silentMs: 0,
};

const seconds = (epochS: number, command: string): ProcessLook => ({
  ...running,
  start: { kind: "second", epochS, command },
});
const mac: Partial<LivenessCase> = {
  process: { pid: 42, start: { kind: "second", epochS: 1_000, command: "/bin/claude" } },
};

test.each<[string, Partial<LivenessCase>, string]>([
  [
    "P1: the number belongs to another program",
    { look: { ...running, start: { kind: "ticks", ticks: 5_001 } } },
    "dead",
  ],
  ["P2: the process exists and tells nothing else", { look: { kind: "hidden" } }, "live"],
  ["P3: the same ticks, whatever the clocks say meanwhile", { silentMs: -86_400_000 }, "live"],
  ["P3: a clock that jumped ahead by a year", { silentMs: 31_536_000_000 }, "live"],
  ["P5: another process namespace", { here: { ...testMachine, namespace: "pid:[2]" } }, "unknown"],
  ["P5: another host", { here: { ...testMachine, host: "laptop" } }, "unknown"],
  [
    "P5: another host that was started another time",
    { here: { ...testMachine, host: "laptop", boot: "boot-2" } },
    "unknown",
  ],
  ["P5: a namespace that cannot be told", { here: { ...testMachine, namespace: null } }, "unknown"],
  ["P6: the system was restarted", { here: { ...testMachine, boot: "boot-2" } }, "dead"],
  [
    "P6: a restart gives the same number to somebody else",
    { here: { ...testMachine, boot: "boot-2" }, look: running },
    "dead",
  ],
  ["P8: silent for ten minutes", { silentMs: 600_000 }, "live"],
  ["P9: a zombie", { look: { kind: "zombie" } }, "dead"],
  ["P10: the process cannot be read", { look: { kind: "unreadable", message: "EACCES" } }, "unknown"],
  ["P10: the system's start cannot be read", { here: { ...testMachine, boot: null } }, "unknown"],
  ["P10: the process was not looked for", { look: null }, "unknown"],
  ["P16: of a server with many sessions, lately heard of", { shared: true, silentMs: sharedSilentMsMax }, "live"],
  [
    "P16: of a server with many sessions, silent for long",
    { shared: true, silentMs: sharedSilentMsMax + 1 },
    "unknown",
  ],
  ["P16: of a server that has ended", { shared: true, look: { kind: "gone" } }, "dead"],
  ["a record without a process", { process: null }, "unknown"],
  ["gone", { look: { kind: "gone" } }, "dead"],
  ["macOS: the same start two seconds apart", { ...mac, look: seconds(1_002, "/bin/other") }, "live"],
  ["macOS: another start, but the same program", { ...mac, look: seconds(1_060, "/bin/claude") }, "live"],
  ["macOS: another start and another program", { ...mac, look: seconds(1_003, "/bin/other") }, "dead"],
])("%s", (_, change, verdict) => {
  expect(livenessOf({ ...base, ...change }).kind).toBe(verdict);
});
