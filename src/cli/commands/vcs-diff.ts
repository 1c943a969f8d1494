// `skein vcs diff`: what differs between two positions.

import type { Command } from "commander";
import type { RepoPath } from "../../base/ids.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { nameLine, showPatch } from "../render/store.ts";
import { pathArguments, positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly names?: boolean;
  readonly path?: readonly RepoPath[];
}

const help = `
Example:
  $ skein vcs diff 1                       (from position 1 to the newest)
  $ skein vcs diff 12 40 --path src/parser --path README.md
  $ skein vcs diff 12 --names

The form is that of git diff; into a pipe or a file it is what git apply takes, to the byte, but for binary files, which are only named.
A terminal sees ^M for a carriage return and � for other control characters. With --json every file has its lines.`;

export function addVcsDiff(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("diff")
      .description("show what differs between two positions")
      .argument("<from>", "the older position", positionArgument)
      .argument("[to]", "the newer one (default: head)", positionArgument)
      .option("--path <path>", "only this file or directory (repeatable)", pathArguments)
      .option("--names", "only the names of the files"),
  )
    .addHelpText("after", help)
    .action(async (from: number | "head", to: number | "head" | undefined, flags: Flags) => {
      const json = flags.json === true;
      const { vcsDiff } = await import("../../app/vcs-reading.ts");
      const told = await vcsDiff(surroundings, wishOf(flags), { from, to: to ?? "head", paths: flags.path ?? [] });
      if (!told.ok) return fail(io, explainStore(told.error), json);
      const { store, value } = told.value;
      if (json) return io.out(jsonLine({ store, ...value }));
      if (value.files.length === 0) return io.note(`nothing differs between ${value.from} and ${value.to}`);
      if (flags.names === true) for (const file of value.files) io.out(nameLine(file));
      else showPatch(io, value.files);
    });
}
