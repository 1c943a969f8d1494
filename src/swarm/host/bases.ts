// The git objects this host's workspaces begin from, beside the workspaces: kept ones go on working after the run.

import { join } from "node:path";
import { type GitBases, openGitBases } from "../../vcs/workspace/git-bases.ts";
import { basesName } from "../workspace-name.ts";
import type { HostEnvironment } from "./environment.ts";

type Parts = Pick<HostEnvironment, "host" | "directories" | "shellEnvironment" | "workspaceGit">;

/** Null where the host has no git. */
export function openHostBases({ host, directories, shellEnvironment, workspaceGit }: Parts): GitBases | null {
  if (!workspaceGit) return null;
  const git = { processes: host.processes, path: shellEnvironment.PATH ?? "" };
  return openGitBases({ files: host.files, git, directory: join(directories.workspaces, basesName) });
}
