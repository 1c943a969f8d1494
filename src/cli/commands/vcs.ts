// `skein vcs …`: a store by hand. The commands are files of their own.

import type { CommandContext } from "./command.ts";
import { addVcsCommit } from "./vcs-commit.ts";
import { addVcsFsck } from "./vcs-fsck.ts";
import { addVcsGc } from "./vcs-gc.ts";
import { addVcsImport } from "./vcs-import.ts";
import { addVcsInit } from "./vcs-init.ts";
import { addVcsStats } from "./vcs-stats.ts";

const help = `
Example:
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool
  $ skein vcs commit --store ~/stores/tool --from ~/src/tool --base head -m "Rename the flag"
  $ skein vcs stats                           (the store of this repository's newest run)
  $ skein vcs fsck --run 20261129-230501-ab3d

While a process has the store open (skein serve, a swarm), these commands ask it; else they read the files, or become the
writer for as long as they take. Exit codes: 0 done, 1 failed or refused, 2 nothing was begun, 3 kept as a conflict object.`;

export function addVcs(context: CommandContext): void {
  const vcs = context.program
    .command("vcs")
    .description("look at, fill and check a store of commits")
    .addHelpText("after", help)
    .helpCommand(false);
  for (const add of [addVcsInit, addVcsImport, addVcsCommit, addVcsStats, addVcsFsck, addVcsGc]) add(vcs, context);
}
