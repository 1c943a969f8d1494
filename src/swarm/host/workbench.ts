// A worker's workspace as its tools see it: collect the changes, land them, stay on the newest state.

import type { RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Answers, Lease, Work } from "../../protocol/messages.ts";
import type { Entry } from "../../vcs/types.ts";
import { workspaceErrorText } from "../../vcs/workspace/errors.ts";
import type { SkippedPath } from "../../vcs/workspace/walk.ts";
import type { Workspace } from "../../vcs/workspace/workspace.ts";
import type { CoordinatorClient } from "./client.ts";
import type { KeyMaker } from "./keys.ts";
import { withPaths } from "./workspaces.ts";

export interface WorkbenchParts {
  readonly client: CoordinatorClient;
  readonly lease: Lease;
  readonly workspace: Workspace;
  readonly nextKey: KeyMaker;
}

export class Workbench {
  readonly #parts: WorkbenchParts;
  /** Paths of this lease's commits that are kept in a conflict: the workspace keeps the agent's side of them. */
  readonly #held = new Map<RepoPath, Entry | null>();
  #hasCommitted = false;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
  }

  /** Where the agent's commands run. */
  get root(): string {
    return this.#parts.workspace.root;
  }

  /** Whether this lease has handed work over: landed, kept in a conflict, or found to be there already. */
  get hasCommitted(): boolean {
    return this.#hasCommitted;
  }

  /** What differs from the last commit, as one commit; null if nothing does. */
  async collect(message: string, outsideScopeReason: string | null): Promise<Result<Work | null, string>> {
    const { workspace, nextKey } = this.#parts;
    const scan = await workspace.scan();
    if (!scan.ok) return err(`the workspace cannot be read: ${workspaceErrorText(scan.error)}`);
    const { changes, blobs, skipped } = scan.value;
    if (skipped.length > 0) return err(describeSkipped(skipped));
    if (changes.length === 0) return ok(null);
    return ok({ key: nextKey(), base: workspace.position, message, changes, blobs, outsideScopeReason });
  }

  /** Lands the work and brings the workspace up to what the head is then. */
  async land(work: Work): Promise<Answers["commit"]> {
    const { client, lease, workspace } = this.#parts;
    const outcome = await client.ask({ kind: "commit", lease, work });
    if (outcome.kind === "refused") return outcome;
    this.#hasCommitted = true;
    workspace.committed(work.changes);
    if (outcome.kind === "conflict") {
      for (const change of work.changes)
        this.#held.set(change.path, change.kind === "put" ? { blob: change.blob, mode: change.mode } : null);
    }
    const manifest = withPaths(await client.manifest(outcome.position), this.#held);
    const synced = await workspace.sync({ position: outcome.position, manifest });
    // A sync that failed half-way has left the position: the next commit is made from the old one and merged.
    if (!synced.ok) client.activity(lease.agent, "its workspace could not be brought up to date");
    return outcome;
  }
}

/** What a commit would leave out must be seen by its author, or it would be lost without a word. */
function describeSkipped(skipped: readonly SkippedPath[]): string {
  const named = skipped.slice(0, 10).map((item) => `${cleanLine(item.path, 200)} (${cleanLine(item.detail, 200)})`);
  const more = skipped.length > 10 ? ` and ${skipped.length - 10} more` : "";
  return `not committed, since these cannot be: ${named.join(", ")}${more}. Remove them, or have .gitignore name them, and try again`;
}
