// `skein vcs workspace add|list|show|sync|rm`: directories at a snapshot of a store.

import { type Command, InvalidArgumentError } from "commander";
import type { WorkspaceShown, WorkspaceSynced } from "../../app/store-workspaces.ts";
import type { WorkspaceLine } from "../../app/workspace-places.ts";
import { cleanLine } from "../../base/text.ts";
import { explainWorkspace } from "../errors-workspace.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { shellWord } from "../shell-word.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein vcs workspace add fix --store ~/stores/tool
  $ cd "$(skein vcs workspace add fix --store ~/stores/tool --json | jq -r .root)"
  $ skein vcs workspace sync fix --store ~/stores/tool
  $ skein vcs workspace show a7 --run 20261129-230501-ab3d

A workspace is a directory of files at a snapshot, with a git of its own that finds no other repository. They lie in the state directory.
Files share their blocks with one copy of their content where the file system can. Commit what you did with
skein vcs commit --from <root> --base <position>. Exit code 3: sync brought nothing, since others have changed what you have changed too.`;

const overlapsExitCode = 3;
const pathsShownMax = 200;

export function addVcsWorkspace(vcs: Command, { io, surroundings }: CommandContext): void {
  const workspace = vcs
    .command("workspace")
    .description("directories at a snapshot of a store")
    .addHelpText("after", help)
    .helpCommand(false);
  const commands = () => import("../../app/store-workspaces.ts");

  addStoreFlags(
    workspace
      .command("add")
      .description("make one")
      .argument("<name>", "its name")
      .option("--at <position>", "the snapshot (default: the newest)", position),
  ).action(async (name: string, flags: StoreFlags & { readonly at?: number | null }) => {
    const made = await (await commands()).addWorkspace(surroundings, wishOf(flags), { name, at: flags.at ?? null });
    if (!made.ok) return fail(io, explainWorkspace(made.error), flags.json === true);
    if (flags.json === true) return io.out(jsonLine(made.value));
    io.out(cleanLine(made.value.root, 4_096));
    io.note(`snapshot ${made.value.position}; go there: cd ${shellWord(made.value.root)}`);
  });

  addStoreFlags(
    workspace.command("list").description("those of a store, and those that its run's agents have left"),
  ).action(async (flags: StoreFlags) => {
    const listed = await (await commands()).listWorkspaces(surroundings, wishOf(flags));
    if (!listed.ok) return fail(io, explainWorkspace(listed.error), flags.json === true);
    if (flags.json === true) return io.out(jsonLine({ workspaces: listed.value }));
    if (listed.value.length === 0) return io.note("there are none; skein vcs workspace add makes one");
    const width = Math.max(...listed.value.map(({ name }) => name.length));
    for (const line of listed.value) io.out(rowOf(line, width));
  });

  addStoreFlags(
    workspace
      .command("show")
      .description("what differs in it from its snapshot")
      .argument("<name>", "its name; an agent's is a1, a2 …"),
  ).action(async (name: string, flags: StoreFlags) => {
    const shown = await (await commands()).showWorkspace(surroundings, wishOf(flags), name);
    if (!shown.ok) return fail(io, explainWorkspace(shown.error), flags.json === true);
    if (flags.json === true) return io.out(jsonLine(shown.value));
    for (const line of shownLines(shown.value)) io.out(line);
  });

  addStoreFlags(
    workspace
      .command("sync")
      .description("bring it to a snapshot as a whole; what you changed stays as it is")
      .argument("<name>", "its name")
      .option("--at <position>", "the snapshot (default: the newest)", position),
  ).action(async (name: string, flags: StoreFlags & { readonly at?: number | null }) => {
    const synced = await (await commands()).syncWorkspace(surroundings, wishOf(flags), { name, at: flags.at ?? null });
    if (!synced.ok) return fail(io, explainWorkspace(synced.error), flags.json === true);
    if (synced.value.overlaps.length > 0) io.exitCode = overlapsExitCode;
    if (flags.json === true) return io.out(jsonLine(synced.value));
    for (const line of syncedLines(synced.value)) io.out(line);
  });

  addStoreFlags(
    workspace
      .command("rm")
      .description("remove one whose changes are in the store")
      .argument("<name>", "its name")
      .option("--force", "also with changes that are nowhere else"),
  ).action(async (name: string, flags: StoreFlags & { readonly force?: boolean }) => {
    const force = flags.force === true;
    const removed = await (await commands()).removeWorkspace(surroundings, wishOf(flags), { name, force });
    if (!removed.ok) return fail(io, explainWorkspace(removed.error), flags.json === true);
    io.out(flags.json === true ? jsonLine(removed.value) : `${name} is removed`);
  });
}

function rowOf({ name, kind, position: at, form, root }: WorkspaceLine, width: number): string {
  const whose = kind === "agent" ? "an agent's" : "yours";
  const seen = form === "layers" ? "  (in layers: `workspace show` makes it whole)" : "";
  return `${name.padEnd(width + 2)}${whose.padEnd(12)}${String(at).padEnd(8)}${cleanLine(root, 4_096)}${seen}`;
}

function shownLines({ root, position: at, head, changes, skipped }: WorkspaceShown): readonly string[] {
  const behind = head === at ? "the newest snapshot" : `snapshot ${at}; the newest is ${head}`;
  const files = changes.map(({ kind, path }) => `${kind === "put" ? "M" : "D"} ${cleanLine(path, 500)}`);
  const passed = skipped.map(({ path, detail }) => `! ${cleanLine(path, 500)}: ${cleanLine(detail, 300)}`);
  const said = changes.length === 0 ? "nothing differs" : `${plural(changes.length, "file")} differ`;
  return [`${cleanLine(root, 4_096)} is at ${behind}; ${said}`, ...capped([...files, ...passed])];
}

function syncedLines({ position: at, updated, overlaps }: WorkspaceSynced): readonly string[] {
  if (overlaps.length === 0) return [`${plural(updated.length, "path")} brought up: at snapshot ${at}`];
  const left = overlaps.map((path) => `! ${cleanLine(path, 500)}`);
  return [
    `nothing was brought up: it stays at snapshot ${at}, since others have changed ${plural(overlaps.length, "path")} that you have changed too; commit yours with --base ${at}, which merges them, or take yours back (git checkout <path>), then sync again:`,
    ...capped(left),
  ];
}

function capped(lines: readonly string[]): readonly string[] {
  const more = lines.length - pathsShownMax;
  return more <= 0 ? lines : [...lines.slice(0, pathsShownMax), `… and ${more} more (--json has all)`];
}

/** Null: the newest. */
function position(text: string): number | null {
  if (text === "head") return null;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("A position is needed: a whole number, or head.");
  return Number(text);
}
