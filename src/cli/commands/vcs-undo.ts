// `skein vcs undo`: takes back commits, all of an agent's, or all of a task's, by a new commit.

import { type Command, InvalidArgumentError } from "commander";
import { asAgentId, asCommitKey, asPosition, asTaskId, type Position } from "../../base/ids.ts";
import { cleanText } from "../../base/text.ts";
import type { UndoWish } from "../../vcs/undo.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly ofAgent?: string;
  readonly ofTask?: string;
  readonly message?: string;
  readonly key?: string;
  readonly agent: string;
  readonly task: string;
  readonly reason?: string;
}

const conflictExitCode = 3;

const help = `
Example:
  $ skein vcs undo 42 --store ~/stores/tool
  $ skein vcs undo 42 45 46 -m "The new flag was a mistake"
  $ skein vcs undo --of-agent a3

Only what these commits changed goes; what others have changed since stays. Where both changed the same lines the undo is kept as a
conflict object (exit code 3), and the head stays as it is until skein vcs resolve closes it. An undo can be undone.`;

export function addVcsUndo(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("undo")
      .description("take back commits, an agent's or a task's, by a new commit")
      .argument("[positions...]", "the commits' positions", positions)
      .option("--of-agent <name>", "all commits of this agent")
      .option("--of-task <name>", "all commits of this task")
      .option("-m, --message <text>", "the new commit's message (default: says what is undone)")
      .option("--key <key>", "idempotency key: repeated, it gives the first answer again")
      .option("--agent <name>", "who undoes it", "person")
      .option("--task <name>", "for which task: it joins that task's conflict", "by-hand")
      .option("--reason <text>", "why it leaves its task's scope"),
  )
    .addHelpText("after", help)
    .action(async (named: readonly Position[] | undefined, flags: Flags) => {
      const json = flags.json === true;
      const wish = wishIn(named ?? [], flags);
      if (wish === null) {
        const what = "name the commits' positions, or --of-agent, or --of-task: one of the three";
        return fail(io, { what, next: "skein vcs log shows positions and agents", exitCode: 2 }, json);
      }
      const { vcsUndo } = await import("../../app/vcs-undo.ts");
      const undone = await vcsUndo(surroundings, wishOf(flags), {
        wish,
        key: asCommitKey(flags.key ?? `by-hand-${surroundings.host.random.letters(20)}`),
        author: { agent: asAgentId(flags.agent), task: asTaskId(flags.task) },
        message: flags.message ?? null,
        ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      });
      if (!undone.ok) return fail(io, explainStore(undone.error), json);
      const { store, value } = undone.value;
      const { outcome } = value;
      if (outcome.kind === "refused") {
        const what = `the undo was refused (${outcome.policy}): ${cleanText(outcome.reason, 4_000)}`;
        return fail(io, { what, next: "nothing was changed", exitCode: 1 }, json);
      }
      if (outcome.kind === "conflict") io.exitCode = conflictExitCode;
      if (json) return io.out(jsonLine({ store, undone: value.undone, outcome }));
      const what = plural(value.undone.length, "commit");
      if (outcome.kind === "landed" && value.undone.length === 0)
        io.out(`undone already under this key, at position ${outcome.position}`);
      else if (outcome.kind === "landed") io.out(`${what} undone, at position ${outcome.position}`);
      else if (outcome.kind === "unchanged") io.out(`nothing is left of ${what}: the head stays as it is`);
      else
        io.out(
          `kept as conflict ${outcome.conflict}: others have changed the same since; skein vcs conflicts ${outcome.conflict} shows it`,
        );
    });
}

function wishIn(named: readonly Position[], { ofAgent, ofTask }: Flags): UndoWish | null {
  const ways = [named.length > 0, ofAgent !== undefined, ofTask !== undefined].filter(Boolean).length;
  if (ways !== 1) return null;
  if (ofAgent !== undefined) return { kind: "agent", agent: ofAgent };
  return ofTask === undefined ? { kind: "commits", positions: named } : { kind: "task", task: ofTask };
}

function positions(text: string, before: readonly Position[] | undefined): readonly Position[] {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("A commit's position is needed.");
  return [...(before ?? []), asPosition(Number(text))];
}
