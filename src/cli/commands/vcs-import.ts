// `skein vcs import`: a commit of a git repository becomes the tree that a store begins with.

import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly repo?: string;
  readonly commit: string;
}

const help = `
Example:
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool --commit v2.1

The store is made where there is none. The tree's id, computed from what was taken in, must be git's, or nothing is kept.
Uncommitted changes are left alone. The repository is not changed.`;

export function addVcsImport(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("import")
      .description("begin a store with the tree of a git commit")
      .option("--repo <dir>", "the git repository (default: the one you are in)")
      .option("--commit <revision>", "the commit", "HEAD"),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const { vcsImport } = await import("../../app/vcs-commands.ts");
      const json = flags.json === true;
      const source = { repository: flags.repo ?? surroundings.cwd, revision: flags.commit };
      const imported = await vcsImport(surroundings, wishOf(flags), source);
      if (!imported.ok) return fail(io, explainStore(imported.error), json);
      const { store, value } = imported.value;
      if (json) io.out(jsonLine({ store, ...value }));
      else
        io.out(
          `${plural(value.files, "file")} of ${value.commit} are in ${cleanLine(store, 500)}, at position ${value.position}; tree ${value.tree}`,
        );
    });
}
