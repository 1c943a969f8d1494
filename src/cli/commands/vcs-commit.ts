// `skein vcs commit`: what a directory holds beyond a snapshot, as one commit.

import type { Command } from "commander";
import type { Committed } from "../../app/store-commit.ts";
import { asAgentId, asCommitKey, asTaskId } from "../../base/ids.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { positionArgument, repeated } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly from?: string;
  readonly base: number | "head";
  readonly message: string;
  readonly key?: string;
  readonly agent: string;
  readonly task: string;
  readonly reason?: string;
  readonly allowCaseOnly?: boolean;
}

const conflictExitCode = 3;
const keyHint = "give a key of your own, the same for each repetition of this commit, or leave the flag out";

const help = `
Example:
  $ skein vcs commit --store ~/stores/tool --from ~/src/tool --base 1 -m "Rename the flag"
  $ skein vcs commit --from . --base head -m "Add a page" docs/page.md
  $ skein vcs commit --base 12 -m "Use the new name" --read src/names.ts src/cli.ts --key rename-1

--base is the snapshot that the files were made from: where somebody has changed the same files since, both are merged or kept as a
conflict object; "head" says that they were made from the newest. Paths are relative to --from; without any, all that
differs from the snapshot is committed, what is missing as deleted, what .gitignore names left out.
Repeat a commit of which you got no answer under the same --key: it lands once.`;

export function addVcsCommit(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("commit")
      .description("commit what a directory holds beyond a snapshot")
      .argument("[paths...]", "only these files and directories of it")
      .requiredOption("-m, --message <text>", "subject line, then an optional body")
      .requiredOption("--base <position>", 'the snapshot the files were made from, or "head"', positionArgument)
      .option("--from <dir>", "the directory (default: the current one)")
      .option("--key <key>", "idempotency key: repeated, it gives the first answer again")
      .option("--agent <name>", "who commits", "person")
      .option("--task <name>", "for which task: its commits join its conflict", "by-hand")
      .option("--reason <text>", "why the commit leaves its task's scope")
      .option(
        "--allow-case-only",
        "take new names that differ from others only by case (of a served store its server decides)",
      )
      .option("--read <path>", "a file it was made from and does not change (repeatable)", repeated),
  )
    .addHelpText("after", help)
    .action(async (paths: readonly string[], { read, ...flags }: Flags & { readonly read?: readonly string[] }) => {
      const json = flags.json === true;
      if (flags.key === "") return fail(io, { what: "--key is empty", next: keyHint, exitCode: 2 }, json);
      const { vcsCommit } = await import("../../app/vcs-commands.ts");
      const committed = await vcsCommit(surroundings, wishOf(flags), {
        from: flags.from ?? surroundings.cwd,
        paths,
        base: flags.base,
        message: flags.message,
        key: flags.key === undefined ? null : asCommitKey(flags.key),
        agent: asAgentId(flags.agent),
        task: asTaskId(flags.task),
        reason: flags.reason ?? null,
        reads: read ?? [],
        caseOnlyNames: flags.allowCaseOnly === true ? "allow" : "refuse",
      });
      if (!committed.ok) return fail(io, explainStore(committed.error), json);
      const { store, value } = committed.value;
      for (const { path, detail } of value.skipped)
        io.note(`not committed: ${cleanLine(path, 300)}: ${cleanLine(detail, 300)}`);
      if (value.unnoted !== undefined)
        io.note(`the workspace ${value.unnoted} could not take note of it: its next sync will name these files`);
      const { outcome } = value;
      if (outcome.kind === "refused") {
        const next = "nothing of it was kept; correct that and commit again";
        const what = `the commit was refused (${outcome.policy}): ${cleanText(outcome.reason, 4_000)}`;
        return fail(io, { what, next, exitCode: 1 }, json);
      }
      if (outcome.kind === "conflict") io.exitCode = conflictExitCode;
      const { key, base, puts, deletes, skipped } = value;
      if (json) io.out(jsonLine({ store, key, base, puts, deletes, skipped, outcome }));
      else io.out(sentence(value));
    });
}

function sentence({ outcome, puts, deletes }: Committed): string {
  const what = `${plural(puts, "file")} put, ${deletes} deleted`;
  switch (outcome.kind) {
    case "landed": {
      const merged = outcome.merged.map((path) => cleanLine(path, 300)).join(", ");
      const moved = (outcome.moved ?? [])
        .map(({ from, to }) => `${cleanLine(from, 300)} → ${cleanLine(to, 300)}`)
        .join(", ");
      const also = [
        merged === "" ? "" : `; merged with what had landed before: ${merged}`,
        moved === "" ? "" : `; at the new place of what was renamed: ${moved}`,
      ];
      return `landed at position ${outcome.position}: ${what}${also.join("")}`;
    }
    case "unchanged":
      return `nothing to commit: snapshot ${outcome.position} has it already`;
    case "conflict":
      return `kept as conflict ${outcome.conflict}${outcome.joined ? ", which it joined" : ""}: nothing of it is on the head, and nothing of it is lost`;
    case "refused":
      return outcome.reason;
  }
}
