// What a worker host is made of: the ports, its line to the coordinator, its directories and its limits.

import type { Result } from "../../base/result.ts";
import type { Host } from "../../host/host.ts";
import type { Sandbox } from "../../host/sandbox.ts";
import type { LimitedOptions } from "../../model/limited.ts";
import type { Provider } from "../../model/provider.ts";
import type { BlobCache } from "../../vcs/workspace/blob-cache.ts";
import type { GitBases } from "../../vcs/workspace/git-bases.ts";
import type { Overlays } from "../../vcs/workspace/overlay/overlays.ts";
import type { CoordinatorClient } from "./client.ts";
import type { Gate } from "./gate.ts";

export interface HostDirectories {
  /** One workspace an agent. */
  readonly workspaces: string;
  /** Transcripts. */
  readonly agents: string;
  /** Blobs that several workspaces share. */
  readonly blobs: string;
}

export interface HostSettings {
  readonly directories: HostDirectories;
  /** Ripgrep's program file. */
  readonly rgPath: string;
  /** The whole environment of the agents' shell commands: no key or token is in it. */
  readonly shellEnvironment: Readonly<Record<string, string>>;
  /** Where agents' commands and checks run; left out, just on the machine. */
  readonly sandbox?: Sandbox;
  /** False where there is no git: a simulated host. */
  readonly workspaceGit: boolean;
  /**
   * Where this process can mount: workspaces are overlays, and `demote` before a command gives it back the user that this process was
   * started by. Null or absent: workspaces are copies.
   */
  readonly overlay?: { readonly demote: readonly string[] } | null;
  /** Tells the person something that ends nothing. */
  readonly onNote?: (text: string) => void;
  /** Check commands that run at the same time on this host. */
  readonly checksAtOnce: number;
  readonly checkMsMax: number;
  /** Ignore rules from outside the tree, in rising precedence. */
  readonly ignoreTexts: readonly string[];
  /** Keys that no answer of a tool may carry to a model or into a transcript. */
  readonly secrets?: readonly string[];
}

export interface HostEnvironment extends HostSettings {
  readonly host: Host;
  readonly client: CoordinatorClient;
  readonly providers: ProviderFactory;
  readonly checks: Gate;
  /** Workspaces that are made at the same time: each runs git and holds many files open. */
  readonly making: Gate;
  /** Aborts, with the reason, when the run stops: no request is sent any more. */
  readonly hold: AbortSignal;
  readonly cache: BlobCache;
  /** What the workspaces' git begins from; null without git. */
  readonly bases: GitBases | null;
  /** Null where workspaces are copies. */
  readonly overlays: Overlays | null;
}

/**
 * For one agent: where its provider tries a request again by itself, `mayRetry` is asked before each further attempt; where it
 * makes requests wait, `hold` ends the wait.
 */
export type ProviderHooks = Pick<LimitedOptions, "mayRetry" | "hold">;

/** A model by the name the person gave it, for one agent; the error is a sentence for people. */
export type ProviderFactory = (name: string, hooks: ProviderHooks) => Promise<Result<Provider, string>>;
