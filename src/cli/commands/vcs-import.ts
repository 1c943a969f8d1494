// `skein vcs import`: a commit of a git repository becomes the tree that a store begins with.

import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags extends StoreFlags {
  readonly repo?: string;
  readonly commit: string;
  readonly history?: number | true;
}

const help = `
Example:
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool --commit v2.1

  $ skein vcs import --store ~/stores/tool --repo ~/src/tool --history 500

The store is made where there is none. The tree's id, computed from what was taken in, must be git's, or nothing is kept.
--history takes the commits before it along, down the first parents, each a commit of the store with its author, time and message (a merge's names its other parents); every
tree on the way must be git's. Without a number it is all of them. Uncommitted changes are left alone. The repository is not changed.`;

export function addVcsImport(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("import")
      .description("begin a store with the tree of a git commit")
      .option("--repo <dir>", "the git repository (default: the one you are in)")
      .option("--commit <revision>", "the commit", "HEAD")
      .option("--history [n]", "with so many of the commits before it; without a number: with all", wholeNumber),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const { vcsImport } = await import("../../app/vcs-commands.ts");
      const json = flags.json === true;
      const { history } = flags;
      if (typeof history === "number" && history < 0) {
        const what = `--history ${history}: a whole number from 0 is needed`;
        return fail(io, { what, next: "for example --history 500, or --history for all of it", exitCode: 2 }, json);
      }
      const source = {
        repository: flags.repo ?? surroundings.cwd,
        revision: flags.commit,
        history: history === true ? ("all" as const) : (history ?? null),
      };
      const imported = await vcsImport(surroundings, wishOf(flags), source);
      if (!imported.ok) return fail(io, explainStore(imported.error), json);
      const { store, value } = imported.value;
      if (json) io.out(jsonLine({ store, ...value }));
      else
        io.out(
          `${plural(value.files, "file")} of ${value.commit}${value.commits === 0 ? "" : ` and ${plural(value.commits, "commit")} before it`} are in ${cleanLine(store, 500)}, at position ${value.position}; tree ${value.tree}`,
        );
      if (value.merges > 0)
        io.note(
          `${plural(value.merges, "merge")} among them: each is one commit with what it brought, and its message names the other parents; the commits that led there did not come along`,
        );
      if (value.isCutShort) io.note("the repository is shallow: the commits before these are not in it");
    });
}
