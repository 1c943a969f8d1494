// `skein vcs gc`: removes contents that only old positions show.

import type { Command } from "commander";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags extends StoreFlags {
  readonly keep?: number;
}

const help = `
Example:
  $ skein vcs gc --store ~/stores/tool --keep 10000

Records, and so the history of who changed which path when, always stay. Of contents stay those that a kept position shows, and
those of conflict objects. A run's store keeps all of them until its tasks are through and its commits are on a branch.
Without --keep every position is kept: then only what no position ever showed goes.`;

export function addVcsGc(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("gc")
      .description("remove contents that only old positions show")
      .option("--keep <n>", "positions before the head whose contents stay (default: all)", wholeNumber),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const json = flags.json === true;
      const { keep } = flags;
      if (keep !== undefined && keep < 0) {
        const what = `--keep ${keep}: a whole number from 0 is needed`;
        return fail(io, { what, next: "for example --keep 10000", exitCode: 2 }, json);
      }
      const { vcsGc } = await import("../../app/vcs-commands.ts");
      const collected = await vcsGc(surroundings, wishOf(flags), keep ?? null);
      if (!collected.ok) return fail(io, explainStore(collected.error), json);
      const { store, value } = collected.value;
      if (json) return io.out(jsonLine({ store, ...value }));
      const { blobsRemoved, bytesRemoved, keptFrom } = value;
      io.out(
        `${plural(blobsRemoved, "content")} removed, ${bytesRemoved} bytes; what positions from ${keptFrom} on show is kept`,
      );
    });
}
