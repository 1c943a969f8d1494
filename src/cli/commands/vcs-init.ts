// `skein vcs init`: makes a store.

import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly empty?: boolean;
  readonly sha256?: boolean;
}

const help = `
Example:
  $ skein vcs init --store ~/stores/new --empty
  $ skein vcs init --store ~/stores/tool && skein vcs import --store ~/stores/tool --repo ~/src/tool

A store that is there already stays as it is.`;

export function addVcsInit(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("init")
      .description("make a store")
      .option("--empty", "begin it with an empty tree: commits can come at once, and no repository is taken in")
      .option("--sha256", "with --empty: ids of git's SHA-256 format"),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const { vcsInit } = await import("../../app/vcs-commands.ts");
      const json = flags.json === true;
      const empty = flags.empty === true ? (flags.sha256 === true ? "sha256" : "sha1") : null;
      const made = await vcsInit(surroundings, wishOf(flags), empty);
      if (!made.ok) return fail(io, explainStore(made.error), json);
      const { store, value: position } = made.value;
      if (json) io.out(jsonLine({ store, position }));
      else io.out(`the store ${cleanLine(store, 500)} is there, at position ${position}`);
    });
}
