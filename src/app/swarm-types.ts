// What a swarm run is asked, shows while it goes on, answers and can fail with: the contract between the command line and this folder.

import type { ConflictId, RunId } from "../base/ids.ts";
import type { OpenError } from "../log/log.ts";
import type { RunSummary, TaskLine } from "../swarm/view.ts";
import type { ExportError, Exported } from "../vcs/git/export.ts";
import type { InspectError, RepositoryInfo } from "../vcs/git/inspect.ts";
import type { ConfigError } from "./config-text.ts";
import type { FoundSwarm, NoRun, NotASwarm } from "./find-runs.ts";
import type { IntoStoreError } from "./git.ts";
import type { Limits } from "./limit-settings.ts";
import type { Sourced } from "./origin.ts";
import type { RoleModel, RoleModelError } from "./role-models.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import type { SettingFlags, SettingsError } from "./setting-sources.ts";
import type { Spending } from "./spending.ts";
import type { StateError } from "./state-directory.ts";
import type { NoSandboxAgreed } from "./swarm-sandbox.ts";

/** What the flags say beside what configuration files can say too. */
export interface RunFlags extends SettingFlags {
  /** Model requests of one provider's host and key in any minute. */
  readonly requestsPerMinute?: number | undefined;
  /** Absolute directory for recorded traffic. */
  readonly record?: string | undefined;
}

export interface SwarmOptions {
  readonly goal: string;
  /** Any directory of the repository, absolute. */
  readonly repository: string;
  readonly flags: RunFlags;
  /** False for the demo, which means the same on every machine. */
  readonly configFiles: boolean;
}

export interface ResumeOptions {
  /** Id of the run, or a beginning of it that no other run has. */
  readonly run: string;
  /** Where the repository is now, if it has moved; any directory of it, absolute. */
  readonly repository: string | null;
  /** What is left out is as the run was started, where the log says it, else as for a new run. */
  readonly flags: RunFlags;
}

export interface RunView {
  readonly summary: RunSummary;
  readonly spending: Spending;
  readonly goal: string;
  readonly lines: readonly TaskLine[];
}

/** Said once before anything is sent. */
export interface SwarmStart {
  readonly runId: RunId;
  readonly info: RepositoryInfo;
  readonly resumed: boolean;
  readonly roles: readonly RoleModel[];
  readonly limits: Limits;
  readonly requestsPerMinute: number | null;
  readonly record: string | null;
  readonly check: Sourced<string> | null;
  readonly notes: readonly string[];
  readonly sandbox: OpenedSandbox;
}

export interface SwarmWatcher {
  onStart(start: SwarmStart): void;
  /** Something changed; `view` is computed when asked for. */
  onChange(view: () => RunView): void;
  /** What is done after the swarm's end, each of which may take a while, in a few words. */
  onStep(step: string): void;
  /** Something the person should know, which ends nothing. */
  onNote(text: string): void;
  /** Whether agents' commands may run without a sandbox, since there is none for this reason. */
  agreeToNoSandbox(reason: string): Promise<boolean>;
  /** Aborts when the person wants the run to end: agents finish their current call, what landed is exported. */
  readonly stop: AbortSignal;
  /** Aborts when that takes too long for the person: every call ends, what landed is exported all the same. */
  readonly stopNow: AbortSignal;
}

export interface SwarmResult {
  readonly summary: RunSummary;
  readonly spending: Spending;
  readonly repository: string;
  /** The commit the run began from. */
  readonly base: string;
  readonly exported: Exported | null;
  readonly exportError: ExportError | null;
  readonly check: string | null;
  readonly checkPassed: boolean | null;
  readonly checkOutput: string;
  readonly openConflicts: readonly OpenConflict[];
  readonly discarded: readonly Discarded[];
  readonly store: string;
  /** `skein swarm --resume` can go on with it. */
  readonly resumable: boolean;
}

/** A side of a conflict that its arbiter left out: on no branch, and still in the store. */
export interface Discarded {
  readonly path: string;
  readonly side: "ours" | "theirs";
  /** Key of the task whose change it was; null where it came with the import. */
  readonly task: string | null;
  /** Its content in the store; null where the side had deleted the file. */
  readonly blob: string | null;
  readonly reason: string;
}

/** Work that did not land: both sides are in the store. */
export interface OpenConflict {
  readonly id: ConflictId;
  /** Key of the task whose commits are kept in it. */
  readonly task: string;
  readonly paths: readonly string[];
}

export type SwarmError =
  | { readonly kind: "empty-goal" }
  | NoSandboxAgreed
  | { readonly kind: "goal-too-long"; readonly chars: number; readonly charsMax: number }
  | { readonly kind: "bad-workers"; readonly workers: number; readonly workersMax: number }
  | { readonly kind: "bad-requests"; readonly requestsMax: number }
  | { readonly kind: "no-program"; readonly program: string }
  | { readonly kind: "store"; readonly error: OpenError; readonly store: string }
  /** The run's branch cannot be made in this repository. */
  | { readonly kind: "branch"; readonly message: string }
  | { readonly kind: "import"; readonly error: IntoStoreError }
  | { readonly kind: "start"; readonly message: string; readonly store: string }
  | ConfigError
  | SettingsError
  | RoleModelError
  | StateError
  | InspectError;

export type ResumeError =
  | SwarmError
  | NoRun
  | NotASwarm
  /** Another process is its coordinator; `pid` where it is known. */
  | { readonly kind: "run-held"; readonly run: RunId; readonly pid: number | null }
  /** Its coordinator died before anything of it was recorded. */
  | { readonly kind: "never-began"; readonly run: FoundSwarm }
  | { readonly kind: "repository-gone"; readonly run: FoundSwarm; readonly path: string; readonly message: string }
  /** The repository at `path` is not the one, or lost the commit that the run began from. */
  | {
      readonly kind: "repository-lacks-commit";
      readonly run: FoundSwarm;
      readonly path: string;
      readonly commit: string;
    };
