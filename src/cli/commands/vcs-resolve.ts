// `skein vcs resolve`: closes a conflict object with a person's answer.

import { type Command, Option } from "commander";
import { asAgentId, asCommitKey, asConflictId, asTaskId, type RepoPath } from "../../base/ids.ts";
import { cleanText } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { shown, who } from "../render/store.ts";
import { pathArguments, positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly take?: "ours" | "theirs";
  readonly ours?: readonly RepoPath[];
  readonly theirs?: readonly RepoPath[];
  readonly from?: string;
  readonly base: number | "head";
  readonly message?: string;
  readonly key?: string;
  readonly agent: string;
  readonly task: string;
}

const help = `
Example:
  $ skein vcs resolve c3 --take theirs -m "The newer flag is right"
  $ skein vcs resolve c3 --ours docs/flag.md --from ~/work --base 42

Every path in conflict is decided: by a side (--take for all, --ours and --theirs for single ones), or by its file below --from, where a
missing file is a deleted one. What else the held commits changed lands with it. --base is the position whose sides were looked
at: where the head's side has changed since, nothing is done. The history says who decided, for whom, and which side was left out.`;

export function addVcsResolve(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("resolve")
      .description("close a conflict object")
      .argument("<id>", "the conflict, such as c3")
      .addOption(new Option("--take <side>", "this side of every path that is not named").choices(["ours", "theirs"]))
      .option("--ours <path>", "keep what landed first (repeatable)", pathArguments)
      .option("--theirs <path>", "take the side of the held commit (repeatable)", pathArguments)
      .option("--from <dir>", "take the remaining paths from this directory")
      .option("--base <position>", "the position whose sides were looked at", positionArgument, "head" as const)
      .option("-m, --message <text>", "why, in your words")
      .option("--key <key>", "idempotency key: repeated, it gives the first answer again")
      .option("--agent <name>", "who resolves it", "person")
      .option("--task <name>", "for which task", "by-hand"),
  )
    .addHelpText("after", help)
    .action(async (id: string, flags: Flags) => {
      const json = flags.json === true;
      const { vcsResolve } = await import("../../app/vcs-resolve.ts");
      const resolved = await vcsResolve(surroundings, wishOf(flags), {
        id: asConflictId(id),
        take: flags.take ?? null,
        ours: flags.ours ?? [],
        theirs: flags.theirs ?? [],
        from: flags.from ?? null,
        base: flags.base,
        message: flags.message ?? null,
        key: flags.key === undefined ? null : asCommitKey(flags.key),
        agent: asAgentId(flags.agent),
        task: asTaskId(flags.task),
      });
      if (!resolved.ok) return fail(io, explainStore(resolved.error), json);
      const { store, value } = resolved.value;
      const { outcome } = value;
      if (outcome.kind === "refused") {
        const what = `the resolution was refused (${outcome.policy}): ${cleanText(outcome.reason, 4_000)}`;
        const next = `nothing was changed, and ${id} keeps both sides; skein vcs conflicts ${id} shows them as they are now`;
        return fail(io, { what, next, exitCode: 1 }, json);
      }
      if (json) return io.out(jsonLine({ store, ...value }));
      io.out(`${id} of ${who(value.author)} is closed at position ${outcome.position}`);
      for (const { path, by } of value.decided) io.out(`  ${shown(path)}: ${by === "file" ? "from the file" : by}`);
      for (const { path, side } of value.discarded)
        io.out(`  left out, and named in the history: ${side} of ${shown(path)}`);
    });
}
