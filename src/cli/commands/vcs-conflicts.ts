// `skein vcs conflicts`: the conflict objects of a store, and the sides of one.

import type { Command } from "commander";
import { asConflictId } from "../../base/ids.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { conflictLines, patchText } from "../render/store.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly all?: boolean;
}

const help = `
Example:
  $ skein vcs conflicts --store ~/stores/tool
  $ skein vcs conflicts c3                  (what each side made of the base)
  $ skein vcs conflicts --all --json

"ours" is what landed first, "theirs" the commit that met it. skein vcs resolve closes one.`;

export function addVcsConflicts(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("conflicts")
      .description("list open conflict objects, or show one")
      .argument("[id]", "a conflict, such as c3")
      .option("--all", "resolved ones too"),
  )
    .addHelpText("after", help)
    .action(async (id: string | undefined, flags: Flags) => {
      const json = flags.json === true;
      const { vcsConflicts } = await import("../../app/vcs-reading.ts");
      const one = id === undefined ? null : asConflictId(id);
      const told = await vcsConflicts(surroundings, wishOf(flags), { id: one, openOnly: flags.all !== true });
      if (!told.ok) return fail(io, explainStore(told.error), json);
      const { store, value } = told.value;
      if (json) return io.out(jsonLine({ store, head: value.head, conflicts: value.conflicts }));
      if (value.conflicts.length === 0) return io.note(flags.all === true ? "no conflicts" : "no open conflicts");
      for (const conflict of value.conflicts) for (const line of conflictLines(conflict)) io.out(line);
      if (one === null) return;
      for (const [side, files] of [
        ["ours", value.ours],
        ["theirs", value.theirs],
      ] as const) {
        io.out(`\nwhat ${side} made of the base:`);
        io.out(patchText(files).replace(/\n$/, ""));
      }
      io.note(`\nsides as of position ${value.head}; close it with skein vcs resolve ${one} --base ${value.head} …`);
    });
}
