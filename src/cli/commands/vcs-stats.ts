// `skein vcs stats`: the figures of a store, and its hottest files.

import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein vcs stats --store ~/stores/tool
  $ skein vcs stats --json`;

export function addVcsStats(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(vcs.command("stats").description("show a store's figures, and the files that most agents changed"))
    .addHelpText("after", help)
    .action(async (flags: StoreFlags) => {
      const { vcsStats } = await import("../../app/vcs-commands.ts");
      const json = flags.json === true;
      const stats = await vcsStats(surroundings, wishOf(flags));
      if (!stats.ok) return fail(io, explainStore(stats.error), json);
      const { store, by, value } = stats.value;
      if (json)
        return io.out(
          jsonLine({
            store,
            by,
            ...Object.fromEntries(value.figures.map((figure) => [figure.name, figure.value])),
            hottest: value.hottest,
          }),
        );
      const rows: readonly (readonly [string, string])[] = [
        ["store", store],
        ["asked", by === "server" ? "the process that has it open" : "its files"],
        ...value.figures.map(
          ({ name, value: figure }) => [wordsOf(name), figure === null ? "none" : String(figure)] as const,
        ),
      ];
      const width = Math.max(...rows.map(([name]) => name.length));
      for (const [name, figure] of rows) io.out(`${name.padEnd(width + 2)}${cleanLine(figure, 500)}`);
      if (value.hottest.length > 0) io.out("\nhottest files: agents, commits");
      for (const { path, commits, agents, deleted } of value.hottest) {
        const counts = `${String(agents).padStart(6)}${String(commits).padStart(8)}`;
        io.out(`${counts}  ${cleanLine(path, 500)}${deleted ? " (deleted)" : ""}`);
      }
    });
}

/** `conflictsFound` as `conflicts found`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
