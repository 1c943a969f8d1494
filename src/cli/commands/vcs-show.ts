// `skein vcs show`: one landed commit, who made it and what it changed.

import type { Command } from "commander";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { commitLines, nameLine, showPatch } from "../render/store.ts";
import { positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly names?: boolean;
}

const help = `
Example:
  $ skein vcs show 42 --store ~/stores/tool
  $ skein vcs show --names                 (the newest commit, only the names of its files)

The differences are against the position before it: what the commit did to the head when it landed.`;

export function addVcsShow(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("show")
      .description("show a landed commit and its changes")
      .argument("[position]", "the commit's position (default: the newest commit)", positionArgument)
      .option("--names", "only the names of its files"),
  )
    .addHelpText("after", help)
    .action(async (position: number | "head" | undefined, flags: Flags) => {
      const json = flags.json === true;
      const { vcsShow } = await import("../../app/vcs-reading.ts");
      const told = await vcsShow(surroundings, wishOf(flags), position ?? "head");
      if (!told.ok) return fail(io, explainStore(told.error), json);
      const { store, value } = told.value;
      if (json) return io.out(jsonLine({ store, ...value }));
      for (const line of commitLines(value.commit)) io.out(line);
      io.out("");
      if (flags.names === true) for (const file of value.files) io.out(nameLine(file));
      else showPatch(io, value.files);
    });
}
