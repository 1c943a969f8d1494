// What belongs to a directory that is copied for a child: the ignore rules from outside it, and what git tracks in it. Without a
// repository, or without git, nothing is ignored but what the directory's own ignore files name.

import { dirname, join, relative, sep } from "node:path";
import { asBlobId, type RepoPath } from "../base/ids.ts";
import { temporaryPrefix } from "../tools/replace.ts";
import { runGit } from "../vcs/git/command.ts";
import { ignoreSources } from "../vcs/git/ignore-sources.ts";
import { inspectRepository } from "../vcs/git/inspect.ts";
import { parseRepoPath } from "../vcs/path.ts";
import type { Entry } from "../vcs/types.ts";
import { gitOf, userHome } from "./prepare-swarm.ts";
import type { Surroundings } from "./surroundings.ts";

export interface TreeRules {
  /** In rising precedence. */
  readonly ignoreTexts: readonly string[];
  /** By path relative to the directory. */
  readonly tracked: ReadonlyMap<RepoPath, Entry>;
  /** Whether git can be run here at all. */
  readonly hasGit: boolean;
}

const ignoreFileBytesMax = 4 * 1024 * 1024;
/** Files of ours that a killed process left. */
const ownRule = `${temporaryPrefix}*\n`;

export async function treeRules(surroundings: Surroundings, directory: string): Promise<TreeRules> {
  const { files } = surroundings.host;
  const git = gitOf(surroundings);
  const repository = await inspectRepository({ git, files, path: directory });
  if (!repository.ok) {
    // Git answers for a directory that is no repository, too.
    const hasGit = repository.error.kind !== "git" || repository.error.exitCode !== null;
    return { ignoreTexts: [ownRule], tracked: new Map(), hasGit };
  }
  const { root } = repository.value;
  const sources = await ignoreSources({ git, files, root, user: userHome(surroundings) });
  const outside = sources.ok ? sources.value.texts : [];
  const above = await rulesAbove(surroundings, root, directory);
  const listed = await runGit(git, { cwd: directory, args: ["ls-files", "--stage", "-z"] });
  const tracked = listed.ok ? readStaged(listed.value) : new Map<RepoPath, Entry>();
  return { ignoreTexts: [...outside, ...above, ownRule], tracked, hasGit: true };
}

/** Of the directories between the repository's top and this one: the rules that name no place, which mean the same here. */
async function rulesAbove(
  { host: { files } }: Surroundings,
  root: string,
  directory: string,
): Promise<readonly string[]> {
  const inside = relative(root, directory);
  if (inside === "" || inside.startsWith("..")) return [];
  const texts: string[] = [];
  const names = [
    "",
    ...dirname(inside)
      .split(sep)
      .filter((name) => name !== "" && name !== "."),
  ];
  let at = root;
  for (const name of names) {
    at = join(at, name);
    const read = await files.read(join(at, ".gitignore"), ignoreFileBytesMax);
    if (!read.ok) continue;
    const lines = Buffer.from(read.value).toString("utf8").split("\n");
    texts.push(
      `${lines.filter((line) => !line.trim().replace(/^!/, "").replace(/\/$/, "").includes("/")).join("\n")}\n`,
    );
  }
  return texts;
}

/** `<mode> <id> <stage>\t<path>` with NUL after each: https://git-scm.com/docs/git-ls-files#_output. */
function readStaged(bytes: Uint8Array): Map<RepoPath, Entry> {
  const tracked = new Map<RepoPath, Entry>();
  for (const line of Buffer.from(bytes).toString("utf8").split("\0")) {
    const [, mode, id, path] = /^(\d{6}) ([0-9a-f]+) \d\t([\s\S]+)$/.exec(line) ?? [];
    const parsed = path === undefined ? null : parseRepoPath(path);
    if (id === undefined || parsed?.ok !== true) continue;
    if (mode === "100644" || mode === "100755" || mode === "120000" || mode === "160000")
      tracked.set(parsed.value, { blob: asBlobId(id), mode });
  }
  return tracked;
}
