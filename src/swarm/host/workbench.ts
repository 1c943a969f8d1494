// A worker's workspace as its tools see it: collect the changes, land them, stay on the newest state.

import type { Position, RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Answers, Lease, Work } from "../../protocol/messages.ts";
import type { Change, Entry } from "../../vcs/types.ts";
import { workspaceErrorText } from "../../vcs/workspace/errors.ts";
import type { SkippedPath } from "../../vcs/workspace/walk.ts";
import type { Workspace } from "../../vcs/workspace/workspace.ts";
import type { CoordinatorClient } from "./client.ts";
import type { KeyMaker } from "./keys.ts";

export interface WorkbenchParts {
  readonly client: CoordinatorClient;
  readonly lease: Lease;
  readonly workspace: Workspace;
  readonly nextKey: KeyMaker;
}

/** A commit that was taken while its agent was interrupted and did not hear of it. */
export interface UnheardCommit {
  readonly position: Position;
  /** Kept in a conflict. */
  readonly held: boolean;
}

export class Workbench {
  readonly #parts: WorkbenchParts;
  /** Paths of this lease's commits that are kept in a conflict: the workspace keeps the agent's side of them. */
  readonly #held = new Map<RepoPath, Entry | null>();
  #unheard: UnheardCommit | null = null;
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

  /** After an interruption: takes note of what has landed meanwhile, and goes on where the last sync was cut off. */
  async restore(): Promise<void> {
    const { client, lease, workspace } = this.#parts;
    const since = workspace.position;
    const { commits } = await client.ask({ kind: "resume_info", lease, since });
    for (const { position, changes, held } of commits) {
      this.#hasCommitted = true;
      if (held) this.#hold(changes);
      if (position <= since) continue;
      workspace.committed(changes);
      this.#unheard = { position, held };
    }
    if (this.#unheard !== null) await this.#catchUp(this.#unheard.position);
  }

  /** Once, for the call that is made again and finds nothing left to commit. */
  takeUnheard(): UnheardCommit | null {
    const unheard = this.#unheard;
    this.#unheard = null;
    return unheard;
  }

  /** Lands the work and brings the workspace up to what the head is then. */
  async land(work: Work): Promise<Answers["commit"]> {
    const { client, lease, workspace } = this.#parts;
    const outcome = await client.ask({ kind: "commit", lease, work });
    if (outcome.kind === "refused") return outcome;
    this.#hasCommitted = true;
    workspace.committed(work.changes);
    if (outcome.kind === "conflict") this.#hold(work.changes);
    await this.#catchUp(outcome.position);
    return outcome;
  }

  #hold(changes: readonly Change[]): void {
    for (const change of changes)
      this.#held.set(change.path, change.kind === "put" ? { blob: change.blob, mode: change.mode } : null);
  }

  async #catchUp(position: Position): Promise<void> {
    const { client, lease, workspace } = this.#parts;
    const synced = await workspace.sync({ position, manifest: await client.manifest(position) }, this.#held);
    // A sync that failed half-way has left the position: the next commit is made from the old one and merged.
    if (!synced.ok) client.activity(lease.agent, "its workspace could not be brought up to date");
  }
}

/** What a commit would leave out must be seen by its author, or it would be lost without a word. */
function describeSkipped(skipped: readonly SkippedPath[]): string {
  const named = skipped.slice(0, 10).map((item) => `${cleanLine(item.path, 200)} (${cleanLine(item.detail, 200)})`);
  const more = skipped.length > 10 ? ` and ${skipped.length - 10} more` : "";
  return `not committed, since these cannot be: ${named.join(", ")}${more}. Remove them, or have .gitignore name them, and try again`;
}
