// Which files of a worktree differ from its commit at one moment, each with a stamp that changes when the file does: taken before and
// after a shell command, two looks tell what the command changed. Format: git-status(1), porcelain v1 with -z.

import { join } from "node:path";
import type { Files } from "../../host/files.ts";
import type { ProgramOutput } from "../../host/program-output.ts";
import type { StartedLook } from "../../host/started-look.ts";
import type { Standing } from "./line.ts";
import type { Place } from "./place.ts";

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
}

const changedFilesMax = 2_000;
const outputBytesMax = 1024 * 1024;
const gitMsMax = 250;

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

export function lookAtWorktree(tools: LookTools, { worktree, head }: Place): Promise<WorktreeLook> {
  return head === null ? lookAtPlainDirectory(tools, worktree) : lookWithGit(tools, worktree);
}

/** The stamp of one file now: `gone`, or its change time and size. */
export async function stampOf(files: Pick<Files, "stat">, path: string): Promise<string> {
  const stat = await files.stat(path);
  return stat.ok ? `${stat.value.changedMs}:${stat.value.size}` : "gone";
}

async function lookWithGit(tools: LookTools, worktree: string): Promise<WorktreeLook> {
  const started = await tools.started?.output();
  const output = started?.kind === "whole" ? textOf(started.bytes) : null;
  if (started?.kind === "given-up") return { stamps: {}, complete: false };
  return stampsIn(tools, worktree, output ?? (await git(tools, worktree, STATUS_COMMAND)));
}

async function stampsIn(tools: LookTools, worktree: string, output: string | null): Promise<WorktreeLook> {
  if (output === null) return { stamps: {}, complete: false };
  const paths = output.split("\0").flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));
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
  const output = await git(tools, worktree, range);
  return output === null ? null : output.split("\0").filter((path) => path !== "");
}

/** It is given up after a while. Null where it fails. */
async function git(tools: LookTools, worktree: string, argv: readonly [string, ...string[]]): Promise<string | null> {
  const output = await tools.programOutput({
    argv,
    cwd: worktree,
    env: { ...tools.environment, ...GIT_ENVIRONMENT },
    msMax: gitMsMax,
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
