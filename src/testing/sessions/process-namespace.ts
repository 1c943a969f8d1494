// Runs a program where process numbers are other ones than ours, as in a container.

import { spawnSync } from "node:child_process";

export interface ProgramPlace {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** As root directly, else in a user namespace of our own; bubblewrap where `unshare` is refused. */
export function inProcessNamespace(argv: readonly string[], place: ProgramPlace = {}): string {
  const ways = [
    ["unshare", "--pid", "--fork", "--mount-proc"],
    ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"],
    [
      "bwrap",
      "--dev-bind",
      "/",
      "/",
      "--unshare-user",
      "--uid",
      "0",
      "--unshare-pid",
      "--proc",
      "/proc",
      "--cap-add",
      "ALL",
    ],
  ];
  const refusals: string[] = [];
  for (const [program = "", ...args] of ways) {
    const { status, stdout, stderr } = spawnSync(program, [...args, ...argv], {
      ...place,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (status === 0) return stdout;
    refusals.push(`${program}: ${stderr}`);
  }
  throw new Error(`no process namespace can be made here\n${refusals.join("\n")}`);
}
