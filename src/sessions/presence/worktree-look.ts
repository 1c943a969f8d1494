// Which files of a worktree differ from its commit at one moment, each with a stamp that changes when the file does: taken before and
// after a shell command, two looks tell what the command changed. Format: git-status(1), porcelain v1 with -z.

import { join } from "node:path";
import type { Clock } from "../../host/clock.ts";
import type { Files } from "../../host/files.ts";
import type { ProgramOutput } from "../../host/program-output.ts";
import type { StartedLook } from "../../host/started-look.ts";
import { gitMsMax } from "./known-worktree.ts";
import type { GitAnswer } from "./learn-worktree.ts";
import type { Standing } from "./line.ts";
import type { Place } from "./place.ts";
import type { WorktreeMemory } from "./worktree-memory.ts";

export interface WorktreeLook {
  /** Path relative to the worktree → stamp; files that are as committed are not in it. */
  readonly stamps: Readonly<Record<string, string>>;
  /** False where there was more than can be looked at: then nothing can be concluded from what is missing. */
  readonly complete: boolean;
}

export interface LookTools {
  readonly files: Pick<Files, "stat" | "list">;
  readonly programOutput: ProgramOutput;
  /** Harmless variables: PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** One that runs already, of this worktree; absent or null where there is none. */
  readonly started?: StartedLook | null;
  /** What is known of worktrees since git was asked last; absent or null where nothing is kept. */
  readonly known?: WorktreeMemory | null;
}

const changedFilesMax = 2_000;
const outputBytesMax = 1024 * 1024;

/** Never takes a lock, and runs no hook or monitor of the repository's. */
const HARMLESS_GIT = [
  "git",
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.pager=cat",
] as const;

/** Asks git which files differ from the commit. */
export const STATUS_COMMAND = [
  ...HARMLESS_GIT,
  "status",
  "--porcelain=v1",
  "-z",
  "--untracked-files=all",
  "--no-renames",
  "--ignore-submodules=all",
] as const;

/** What git is started with besides PATH and HOME. */
export const GIT_ENVIRONMENT = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" } as const;
const plainFilesMax = 1_500;
const plainDepthMax = 6;

export async function lookAtWorktree(tools: LookTools, place: Place): Promise<WorktreeLook> {
  return (await knownLook(tools, place)) ?? (await newLook(tools, place));
}

/** Without git, where it would say nothing else than is known; null where it has to be asked. */
export async function knownLook({ known }: LookTools, place: Place): Promise<WorktreeLook | null> {
  return place.head === null || !known ? null : known.look(place);
}

/** Git is asked, or outside git all files are looked at. */
export function newLook(tools: LookTools, place: Place): Promise<WorktreeLook> {
  return place.head === null ? lookAtPlainDirectory(tools, place.worktree) : lookWithGit(tools, place);
}

/** The stamp of one file now: `gone`, or its change time and size. */
export async function stampOf(files: Pick<Files, "stat">, path: string): Promise<string> {
  const stat = await files.stat(path);
  return stat.ok ? `${stat.value.changedMs}:${stat.value.size}` : "gone";
}

async function lookWithGit(tools: LookTools, place: Place): Promise<WorktreeLook> {
  const { known, started } = tools;
  const begun = await started?.output();
  if (begun?.kind === "given-up") return { stamps: {}, complete: false };
  // What is asked now can be kept, where that is known to be little.
  const answer = begun?.kind === "whole" ? null : ((await known?.ask(place)) ?? null);
  if (answer === "slow") return { stamps: {}, complete: false };
  if (answer !== null) return stampsOf(tools, place.worktree, answer.status);
  const output =
    begun?.kind === "whole" ? textOf(begun.bytes) : await git(tools, place.worktree, STATUS_COMMAND, gitMsMax);
  known?.wasAsked(place, output !== null);
  return output === null
    ? { stamps: {}, complete: false }
    : stampsOf(
        tools,
        place.worktree,
        entriesIn(output).map(({ path }) => path),
      );
}

function entriesIn(output: string): readonly { readonly code: string; readonly path: string }[] {
  const entries = output.split("\0").filter((entry) => entry.length > 3);
  return entries.map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }));
}

/** What differs from the commit, and what is ignored: by directories, without what is in them. `slow` where it is given up, null where git fails. */
export async function fullAnswer(
  tools: LookTools,
  worktree: string,
  { msMax, clock }: { readonly msMax: number; readonly clock: Pick<Clock, "now" | "monotonicMs"> },
): Promise<GitAnswer | "slow" | null> {
  const [since, begun] = [clock.now(), clock.monotonicMs()];
  const output = await git(tools, worktree, [...STATUS_COMMAND, "--ignored=matching"], msMax);
  if (output === null) return clock.monotonicMs() - begun < msMax ? null : "slow";
  const [status, ignored]: [string[], string[]] = [[], []];
  for (const { code, path } of entriesIn(output)) (code === "!!" ? ignored : status).push(path);
  return { status, ignored, since };
}

/** Of git's settings, each with the file that it stands in. */
export function settingsText(tools: LookTools, worktree: string, msMax: number): Promise<string | null> {
  return git(tools, worktree, [...HARMLESS_GIT, "config", "--list", "--show-origin", "-z"], msMax);
}

async function stampsOf(tools: LookTools, worktree: string, paths: readonly string[]): Promise<WorktreeLook> {
  const stamps: Record<string, string> = Object.create(null);
  for (const path of paths.slice(0, changedFilesMax)) stamps[path] = await stampOf(tools.files, join(worktree, path));
  return { stamps: { ...stamps }, complete: paths.length <= changedFilesMax };
}

/** Files that commits between the two have changed; null where that cannot be told. */
export async function changedBetween(
  tools: LookTools,
  worktree: string,
  [before, after]: readonly [Standing, Standing],
): Promise<readonly string[] | null> {
  if (before.commit === null || after.commit === null) return null;
  const range = [
    ...HARMLESS_GIT,
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    before.commit,
    after.commit,
  ] as const;
  const output = await git(tools, worktree, range, gitMsMax);
  return output === null ? null : output.split("\0").filter((path) => path !== "");
}

/** It is given up after a while. Null where it fails. */
async function git(
  tools: LookTools,
  worktree: string,
  argv: readonly [string, ...string[]],
  msMax: number,
): Promise<string | null> {
  const output = await tools.programOutput({
    argv,
    cwd: worktree,
    env: { ...tools.environment, ...GIT_ENVIRONMENT },
    msMax,
    bytesMax: outputBytesMax,
  });
  return textOf(output);
}

function textOf(output: Uint8Array | null | undefined): string | null {
  return output ? Buffer.from(output).toString("utf8") : null;
}

/** Outside git every file counts, as far as that is few. */
async function lookAtPlainDirectory({ files }: LookTools, root: string): Promise<WorktreeLook> {
  const stamps: Record<string, string> = Object.create(null);
  let count = 0;
  let complete = true;
  const visit = async (prefix: string, depth: number): Promise<void> => {
    const listed = await files.list(join(root, prefix), plainFilesMax);
    if (!listed.ok) {
      complete &&= listed.error.code !== "too-large";
      return;
    }
    for (const { name, kind } of listed.value) {
      const path = prefix === "" ? name : `${prefix}/${name}`;
      if (count >= plainFilesMax) complete = false;
      if (!complete) return;
      if (kind === "directory") {
        if (depth < plainDepthMax) await visit(path, depth + 1);
        else complete = false;
      } else {
        count += 1;
        stamps[path] = await stampOf(files, join(root, path));
      }
    }
  };
  await visit("", 0);
  return { stamps: { ...stamps }, complete };
}
