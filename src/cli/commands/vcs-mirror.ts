// `skein vcs mirror`: brings a git branch up to a store.

import type { Command } from "commander";
import type { MirrorTold } from "../../app/store-mirror.ts";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly branch: string;
  readonly repo?: string;
  readonly follow?: boolean;
}

const help = `
Example:
  $ skein vcs mirror --store ~/stores/tool --branch review
  $ skein vcs mirror --run 20261129-230501-ab3d --branch live --follow

Appends what landed since the last time, one commit of git for each, and nothing else is changed: no other ref, no index, no work tree. A
branch that is checked out, or whose newest commit is not the store's, is left alone. Trailers name task, agent and position. The tree
is compared with the store's before the branch moves. --follow goes on until it is stopped (Ctrl-C), or somebody else moves the branch.`;

export function addVcsMirror(vcs: Command, { io, surroundings, stop }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("mirror")
      .description("append what landed to a branch of a git repository")
      .requiredOption("--branch <name>", "the branch; it is made where there is none")
      .option("--repo <dir>", "the repository (default: the one the store began with)")
      .option("--follow", "go on as commits land"),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const json = flags.json === true;
      const { mirrorStore } = await import("../../app/store-mirror.ts");
      const mirrored = await mirrorStore(surroundings, wishOf(flags), {
        branch: flags.branch,
        repository: flags.repo ?? null,
        follow: flags.follow === true,
        stop,
        onRound: (told) => io.out(json ? jsonLine(told) : sentence(told)),
      });
      if (!mirrored.ok) fail(io, explainStore(mirrored.error), json);
    });
}

function sentence({ branch, commits, commit, position }: MirrorTold): string {
  const name = cleanLine(branch, 300);
  if (commit === null) return `nothing has landed yet, so there is no branch ${name}`;
  const what = commits === 0 ? "is up to date" : `has ${plural(commits, "commit")} more`;
  return `${name} ${what}: ${commit} at position ${position}`;
}
