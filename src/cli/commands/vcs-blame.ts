// `skein vcs blame`: which commit, and so which agent and task, each line of a file came with.

import type { Command } from "commander";
import type { RepoPath } from "../../base/ids.ts";
import type { BlamedLine } from "../../vcs/reading/blame.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { subjectOf, who } from "../render/store.ts";
import { pathArgument, positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly at: number | "head";
}

const help = `
Example:
  $ skein vcs blame src/parser.ts --store ~/stores/tool
  $ skein vcs blame src/parser.ts --at 120 --json

Renames are followed back. Lines that nobody has changed since the import say so.`;

export function addVcsBlame(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("blame")
      .description("show who last changed each line of a file")
      .argument("<path>", "a file of the store's tree", pathArgument)
      .option("--at <position>", "as of this position", positionArgument, "head" as const),
  )
    .addHelpText("after", help)
    .action(async (path: RepoPath, flags: Flags) => {
      const json = flags.json === true;
      const { vcsBlame } = await import("../../app/vcs-reading.ts");
      const told = await vcsBlame(surroundings, wishOf(flags), { path, at: flags.at });
      if (!told.ok) return fail(io, explainStore(told.error), json);
      const { store, value } = told.value;
      if (json) return io.out(jsonLine({ store, path, at: value.at, lines: value.lines.map(plain) }));
      const origins = value.lines.map(originOf);
      const width = Math.max(0, ...origins.map((origin) => origin.length));
      for (const [index, { bytes }] of value.lines.entries()) {
        const text = Buffer.from(bytes)
          .toString("utf8")
          .replace(/\r?\n$/, "")
          .slice(0, lineCharsMax);
        io.out(`${(origins[index] ?? "").padEnd(width)}  ${String(index + 1).padStart(5)}  ${text}`);
      }
    });
}

const lineCharsMax = 2_000;

function originOf({ origin }: BlamedLine): string {
  switch (origin.kind) {
    case "commit":
      return `${origin.commit.position} ${who(origin.commit.author)}`;
    case "import":
      return "import";
    case "older":
      return "older";
  }
}

function plain({ origin, bytes }: BlamedLine) {
  const text = Buffer.from(bytes).toString("utf8");
  if (origin.kind !== "commit") return { origin: origin.kind, text };
  const { position, author, atMs, message } = origin.commit;
  return { origin: "commit", position, author, atMs, subject: subjectOf(message), text };
}
