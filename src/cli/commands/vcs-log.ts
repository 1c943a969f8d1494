// `skein vcs log`: the landed commits, newest first.

import { type Command, InvalidArgumentError } from "commander";
import type { RepoPath } from "../../base/ids.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { commitLine } from "../render/store.ts";
import { pathArgument, positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly at: number | "head";
  readonly agent?: string;
  readonly task?: string;
  readonly limit: number;
}

const limitMax = 10_000;

const help = `
Example:
  $ skein vcs log --store ~/stores/tool
  $ skein vcs log src/parser --agent a3 --limit 20
  $ skein vcs log --at 120 --json

A path is a file or a directory of the store's tree. With --json every commit has all that it changed.`;

export function addVcsLog(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("log")
      .description("list landed commits, newest first")
      .argument("[path]", "only those that changed this file, or something in this directory", pathArgument)
      .option("--at <position>", "as of this position", positionArgument, "head" as const)
      .option("--agent <name>", "only this agent's")
      .option("--task <name>", "only those of this task")
      .option("--limit <n>", "how many", limit, 50),
  )
    .addHelpText("after", help)
    .action(async (path: RepoPath | undefined, flags: Flags) => {
      const json = flags.json === true;
      const { vcsLog } = await import("../../app/vcs-reading.ts");
      const told = await vcsLog(surroundings, wishOf(flags), {
        at: flags.at,
        agent: flags.agent ?? null,
        task: flags.task ?? null,
        path: path ?? null,
        limit: flags.limit,
      });
      if (!told.ok) return fail(io, explainStore(told.error), json);
      const { store, value } = told.value;
      if (json) return io.out(jsonLine({ store, ...value }));
      for (const commit of value.commits) io.out(commitLine(commit));
      if (value.commits.length === 0) io.note("no commit of that kind has landed");
      if (value.commits.length === flags.limit) io.note(`the newest ${flags.limit}; --limit or --at show others`);
    });
}

function limit(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= limitMax) return Number(text);
  throw new InvalidArgumentError(`A whole number from 1 to ${limitMax} is needed.`);
}
