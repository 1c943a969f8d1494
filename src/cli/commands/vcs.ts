// `skein vcs …`: a store by hand. The commands are files of their own.

import type { CommandContext } from "./command.ts";
import { addVcsBlame } from "./vcs-blame.ts";
import { addVcsCommit } from "./vcs-commit.ts";
import { addVcsConflicts } from "./vcs-conflicts.ts";
import { addVcsDiff } from "./vcs-diff.ts";
import { addVcsFsck } from "./vcs-fsck.ts";
import { addVcsGc } from "./vcs-gc.ts";
import { addVcsImport } from "./vcs-import.ts";
import { addVcsInit } from "./vcs-init.ts";
import { addVcsLog } from "./vcs-log.ts";
import { addVcsMirror } from "./vcs-mirror.ts";
import { addVcsResolve } from "./vcs-resolve.ts";
import { addVcsShow } from "./vcs-show.ts";
import { addVcsStats } from "./vcs-stats.ts";
import { addVcsUndo } from "./vcs-undo.ts";
import { addVcsWatch } from "./vcs-watch.ts";
import { addVcsWorkspace } from "./vcs-workspace.ts";

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
    .description("look at, fill, watch and check a store of commits")
    .addHelpText("after", help)
    .helpCommand(false);
  for (const add of [
    addVcsInit,
    addVcsImport,
    addVcsMirror,
    addVcsWorkspace,
    addVcsCommit,
    addVcsStats,
    addVcsLog,
    addVcsShow,
    addVcsDiff,
    addVcsBlame,
    addVcsConflicts,
    addVcsResolve,
    addVcsUndo,
    addVcsWatch,
    addVcsFsck,
    addVcsGc,
  ])
    add(vcs, context);
}
