// The contract of a client folder's `settings.ts`: which files hold its hooks, which events its version knows, and how a file's text is edited.

import type { Result } from "../base/result.ts";
import type { SettingsError } from "./hooks-file/document.ts";
import type { HookEntry } from "./hooks-file/hooks.ts";
import type { HookedClient, McpCommand } from "./launcher-command.ts";
import type { Version } from "./version.ts";

/** How one kind of file is edited. All are pure, and what is not ours stays byte for byte. */
export interface HookForm {
  /** With exactly these hooks of ours; a text that has them already comes back as it is. */
  set(text: string, entries: readonly HookEntry[]): Result<string, SettingsError>;
  remove(text: string): Result<string, SettingsError>;
  find(text: string): Result<readonly HookEntry[], SettingsError>;
  /** All that is not ours, by a reader that has no part in the edits; what is empty counts as missing. For comparing, and nothing else. */
  others(text: string): unknown;
  /** Where to start when there is no such file, and what tells that nothing is left in one that we made. */
  readonly blank: string;
}

export interface SettingsFile {
  /** In the client's directory. */
  readonly name: string;
  readonly form: HookForm;
}

/** How our MCP server is put into one kind of file. All are pure, and what is not ours stays byte for byte. */
export interface McpForm {
  /** A text that has it already comes back as it is. */
  set(text: string, server: McpCommand): Result<string, SettingsError>;
  remove(text: string): Result<string, SettingsError>;
  has(text: string): Result<boolean, SettingsError>;
  /** As a form of hooks has it. */
  others(text: string): unknown;
  readonly blank: string;
}

export interface McpPlace {
  readonly scope: "user" | "project";
  readonly directory: string;
  readonly moved: boolean;
}

export interface McpSettings {
  /**
   * The paths of the files that may hold it, by the client's directory in this scope: the first that is there is taken, and where none is, the
   * last is made. `moved`: a variable says where the user's directory is.
   */
  files(place: McpPlace): readonly [string, ...string[]];
  readonly form: McpForm;
  /** Puts a rule into a text of the hooks' file, so that the tools run unasked; null where none is needed. `form.remove` there takes it out. */
  readonly setAllowRule: ((text: string) => Result<string, SettingsError>) | null;
}

export interface EventPlan {
  readonly entries: readonly HookEntry[];
  /** Events of ours that this version does not know: left out. */
  readonly leftOut: readonly string[];
}

/** Where its user's settings are: what the variable names, else the directory of that name below home. A project's are below its root. */
export interface SettingsDirectory {
  /** Null where no variable moves it. */
  readonly variable: string | null;
  /** What comes after the variable's value, where that is not the directory itself. */
  readonly below?: string;
  readonly name: string;
  /** Where a project's directory has another name. */
  readonly projectName?: string;
}

export interface ClientSettings {
  readonly client: HookedClient;
  /** Its name as people write it. */
  readonly title: string;
  /** Its command, which answers `--version`. */
  readonly program: string;
  readonly directory: SettingsDirectory;
  /** All files that can hold hooks. */
  readonly files: readonly [SettingsFile, ...SettingsFile[]];
  /** Where hooks go, by what the files that exist hold (`text` by name). */
  choose(texts: ReadonlyMap<string, string>): SettingsFile;
  /** The first version with hooks. */
  readonly versionMin: Version;
  /** Null: the version is not known, so only what all of them know. */
  plan(version: Version | null, command: string): EventPlan;
  /** Whether the client runs hooks only after the person has approved them. */
  readonly needsApproval: boolean;
  /** Puts our status line into a text of the first of its files; null where the client has none. What `form.remove` takes out is it, too. */
  readonly setStatusLine: ((text: string, command: string) => Result<string, SettingsError>) | null;
  /** Null where our MCP server is not registered with it. */
  readonly mcp: McpSettings | null;
  /** Why hooks are off altogether, by the client's own settings; null where they are not. */
  switchedOff(texts: ReadonlyMap<string, string>): string | null;
  /** What its person should know once they are installed. */
  readonly remarks?: readonly string[];
}
