// Begins a store: with the tree of a commit in a git repository, or with an empty one.

import { resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import { outputLine, runGit } from "../vcs/git/command.ts";
import { type InspectError, inspectRepository, type RepositoryInfo } from "../vcs/git/inspect.ts";
import { treeId } from "../vcs/tree-id.ts";
import type { Vcs } from "../vcs/vcs.ts";
import { type HistoryWish, type IntoStoreError, importHead } from "./git.ts";
import { gitOf } from "./prepare-swarm.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ImportWish {
  readonly repository: string;
  /** Anything git takes for a commit. */
  readonly revision: string;
  /** Commits before it that come along. */
  readonly history: HistoryWish;
}

export interface ImportedReport {
  readonly position: number;
  readonly files: number;
  readonly commit: string;
  readonly tree: string;
  /** Commits that came along. */
  readonly commits: number;
  /** Of them, merges: what they brought is in them, the commits that led there are not. */
  readonly merges: number;
  /** The repository is shallow: older commits than these are not in it. */
  readonly isCutShort: boolean;
}

export type StoreImportError =
  | InspectError
  | { readonly kind: "no-revision"; readonly revision: string; readonly message: string }
  | { readonly kind: "import"; readonly error: IntoStoreError };

export async function importRevision(
  surroundings: Surroundings,
  vcs: Vcs,
  { repository, revision, history }: ImportWish,
): Promise<Result<ImportedReport, StoreImportError>> {
  const git = gitOf(surroundings);
  const path = resolve(surroundings.cwd, repository);
  const inspected = await inspectRepository({ git, files: surroundings.host.files, path });
  if (!inspected.ok) return inspected;
  const cwd = inspected.value.root;
  const named = async (suffix: string): Promise<string | null> => {
    const answer = await runGit(git, {
      cwd,
      args: ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + suffix],
    });
    return answer.ok ? outputLine(answer.value) : null;
  };
  const commit = await named("^{commit}");
  const tree = await named("^{tree}");
  if (commit === null || tree === null) {
    return err({ kind: "no-revision", revision, message: `${cwd} has no commit of that name` });
  }
  const branch = commit === inspected.value.headCommit ? inspected.value.branch : null;
  const info: RepositoryInfo = { ...inspected.value, branch, headCommit: commit, headTree: tree };
  const imported = await importHead(git, info, vcs, history);
  if (!imported.ok) return err({ kind: "import", error: imported.error });
  const position = vcs.imported()?.tip.position ?? vcs.head();
  return ok({
    position,
    files: vcs.manifest(position).size,
    commit,
    tree,
    commits: vcs.figures().commits,
    ...imported.value,
  });
}

/** A store without a git repository behind it. */
export async function importNothing(
  vcs: Vcs,
  objectFormat: ObjectFormat,
): Promise<Result<ImportedReport, StoreImportError>> {
  const tree = treeId(new Map(), objectFormat);
  const commit = "0".repeat(tree.length);
  const source = { repository: "", branch: null, commit, tree };
  const imported = await vcs.importTree({ source, objectFormat, entries: new Map(), blobs: [] });
  if (!imported.ok) return err({ kind: "import", error: imported.error });
  return ok({ position: imported.value, files: 0, commit, tree, commits: 0, merges: 0, isCutShort: false });
}

/** One line, for who asked through a socket. */
export function importErrorText(error: StoreImportError): string {
  switch (error.kind) {
    case "import":
      return "message" in error.error ? `${error.error.kind}: ${error.error.message}` : error.error.kind;
    case "git":
      return `git ${error.command} failed: ${error.stderr}`;
    case "empty-repository":
      return `${error.path} has no commit yet`;
    case "no-revision":
      return `${error.revision}: ${error.message}`;
    case "not-a-repository":
    case "file":
      return `${error.path}: ${error.message}`;
  }
}
