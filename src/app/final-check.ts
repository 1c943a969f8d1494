// The project's own test command on what the run landed, in a fresh tree: the last word on a run comes from outside it.

import { join } from "node:path";
import { loneCall } from "../agent/tool.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { boxOf } from "../swarm/host/workspaces.ts";
import { basesName } from "../swarm/workspace-name.ts";
import { bashTool } from "../tools/bash.ts";
import type { ToolEnv } from "../tools/env.ts";
import type { Vcs } from "../vcs/vcs.ts";
import { openBlobCache } from "../vcs/workspace/blob-cache.ts";
import { workspaceErrorText } from "../vcs/workspace/errors.ts";
import { openGitBases } from "../vcs/workspace/git-bases.ts";
import { createWorkspace } from "../vcs/workspace/workspace.ts";
import { inSandbox } from "./in-sandbox.ts";
import { ripgrepPath } from "./ripgrep.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import type { RunDirectories } from "./state-directory.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

export interface FinalCheck {
  /** Null where it could not be run: `output` says why. */
  readonly passed: boolean | null;
  readonly output: string;
}

export interface FinalCheckOptions {
  readonly vcs: Vcs;
  readonly directories: RunDirectories;
  readonly command: string;
  /** Ends the command; the check then counts as not run. */
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
  readonly sandbox: OpenedSandbox;
}

const checkMsMax = 600_000;
/** The tree of the final check, beside the agents' workspaces: nobody's work. */
export const finalCheckName = "final-check";

export async function runFinalCheck(
  surroundings: Surroundings,
  { vcs, directories, command, signal, secrets, sandbox }: FinalCheckOptions,
): Promise<FinalCheck> {
  const { files, processes, clock } = surroundings.host;
  const environment = shellEnvironment(surroundings.env);
  const bases = openGitBases({
    files,
    git: { processes, path: environment.PATH ?? "" },
    directory: join(directories.workspaces, basesName),
  });
  const directory = join(directories.workspaces, finalCheckName);
  // One that was killed could not remove its tree.
  await files.remove(directory);
  const position = vcs.head();
  const made = await createWorkspace({
    files,
    directory,
    snapshot: { position, manifest: vcs.manifest(position) },
    blobs: vcs.blobs,
    cache: openBlobCache({ files, directory: directories.blobs }),
    git: { kind: "base", bases },
  });
  if (!made.ok) {
    await bases.close();
    return { passed: null, output: workspaceErrorText(made.error) };
  }
  const { root } = made.value;
  const env: ToolEnv = {
    files,
    processes,
    clock,
    root,
    rgPath: ripgrepPath(),
    environment,
    spillDirectory: join(directories.agents, "final-check.outputs"),
    secrets,
  };
  const bash = bashTool(inSandbox(env, { sandbox, box: boxOf(root, directories.workspaces) }));
  const agent = asAgentId("final-check");
  const answer = await bash.run(
    { command, timeout_ms: checkMsMax },
    loneCall({ agent, callId: asCallId("check"), signal }),
  );
  await made.value.remove();
  await bases.close();
  if (signal.aborted) return { passed: null, output: "it was stopped" };
  return { passed: answer.kind === "fault" ? null : answer.kind === "text", output: answer.text };
}
