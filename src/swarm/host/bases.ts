// The git objects this host's workspaces begin from, beside the workspaces: kept ones go on working after the run.

import { join } from "node:path";
import { type GitBases, openGitBases } from "../../vcs/workspace/git-bases.ts";
import { basesName } from "../workspace-name.ts";
import { demoted } from "./demoted.ts";
import type { HostEnvironment } from "./environment.ts";

type Parts = Pick<HostEnvironment, "host" | "directories" | "shellEnvironment" | "workspaceGit" | "overlay">;

/** Null where the host has no git. */
export function openHostBases({ host, directories, shellEnvironment, workspaceGit, overlay }: Parts): GitBases | null {
  if (!workspaceGit) return null;
  // Under the user that the agents' own git runs as: what an index notes of a file's owner must be the same for both.
  const git = { processes: demoted(host.processes, overlay?.demote ?? []), path: shellEnvironment.PATH ?? "" };
  return openGitBases({ files: host.files, git, directory: join(directories.workspaces, basesName) });
}
