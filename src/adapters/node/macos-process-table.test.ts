// The table on macOS, against recorded outputs of its `ps` and `sysctl`; it has not been tried on a machine.

import { expect, test } from "vitest";
import { macosProcessTable, type ProgramAnswer } from "./macos-process-table.ts";

/** `LC_ALL=C TZ=UTC ps -o pid=,ppid=,stat=,tty=,lstart=,comm=` of macOS 14. */
const RECORDED = `  501     1 Ss   ??       Fri Nov 27 08:15:42 2026     /sbin/launchd
48213 48190 S+   ttys004  Mon Nov 30 09:03:07 2026     /Users/jo/.local/bin/claude
48310 48213 Z+   ttys004  Mon Nov 30 09:05:00 2026     (node)
48311 48213 S+   ttys004  Mon Nov  2 09:05:01 2026     /Applications/My Tools.app/Contents/MacOS/My Tool
`;

const sysctl: Readonly<Record<string, string>> = {
  "kern.bootsessionuuid": "1D6E8B4E-5D3B-4C53-9A3E-0B4B8C7C1F11\n",
  "kern.uuid": "3A0F0C6C-0000-5555-8888-7B1D2B3C4D5E\n",
};

function answering(ps: Partial<ProgramAnswer>) {
  const asked: string[] = [];
  const table = macosProcessTable(async (program, args) => {
    asked.push([program, ...args].join(" "));
    const answer = program.endsWith("sysctl") ? { stdout: sysctl[args[1] ?? ""] ?? "" } : ps;
    return { code: 0, stdout: "", stderr: "", ...answer };
  });
  return { table, asked };
}

test("recorded lines are read, names with spaces and one-digit days too", async () => {
  const { table, asked } = answering({ stdout: RECORDED });
  expect([...(await table.look([48213, 48310, 48311, 99]))]).toEqual([
    [
      48213,
      {
        kind: "running",
        // Monday 30 November 2026, 09:03:07 UTC: `date -u -d '2026-11-30 09:03:07' +%s`.
        start: { kind: "second", epochS: 1796029387, command: "/Users/jo/.local/bin/claude" },
        parent: 48190,
        name: "claude",
        terminal: "ttys004",
      },
    ],
    [48310, { kind: "zombie" }],
    [
      48311,
      expect.objectContaining({
        start: { kind: "second", epochS: 1793610301, command: "/Applications/My Tools.app/Contents/MacOS/My Tool" },
        name: "My Tool",
      }),
    ],
    [99, { kind: "gone" }],
  ]);
  expect(asked).toEqual(["/bin/ps -o pid=,ppid=,stat=,tty=,lstart=,comm= -p 48213,48310,48311,99"]);
});

test("P10: a `ps` that fails, or prints another form, makes nothing dead", async () => {
  const kinds = async (ps: Partial<ProgramAnswer>) => {
    const look = (await answering(ps).table.look([7])).get(7);
    return look?.kind;
  };
  expect([
    await kinds({ code: null, stderr: "spawn ENOENT" }),
    await kinds({ code: 1, stderr: "ps: illegal option" }),
    await kinds({ code: 0, stdout: "    7 1 S+ ttys001 30.11.2026 09:03:07 node\n" }),
    // As `ps` answers where none of the processes is there.
    await kinds({ code: 1, stdout: "", stderr: "" }),
  ]).toEqual(["unreadable", "unreadable", "unreadable", "gone"]);
});

test("the machine is told by its boot session and hardware", async () => {
  expect(await answering({}).table.machine()).toEqual({
    host: expect.stringMatching(/\/3A0F0C6C-000$/),
    boot: "1D6E8B4E-5D3B-4C53-9A3E-0B4B8C7C1F11",
    namespace: "macos",
  });
});
