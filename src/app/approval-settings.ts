// What an agent may do unasked, and how its commands are held: flags over files. Invariant: a repository's file only takes away.

import { APPROVAL_MODES, type ApprovalMode, stricterMode } from "../agent/approval/mode.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { LoadedConfig } from "./config.ts";
import type { Sourced } from "./origin.ts";
import type { SettingSources, SettingsError } from "./setting-sources.ts";
import { variable } from "./surroundings.ts";

export interface ApprovalSettings {
  readonly mode: Sourced<ApprovalMode>;
  /** As they were written; what they mean is read when they are needed. */
  readonly allow: readonly Sourced<string>[];
  readonly deny: readonly Sourced<string>[];
}

/** Says the mode for a whole shell. */
export const sandboxVariable = "SKEIN_SANDBOX";

export const SANDBOX_MODES = ["auto", "off"] as const;
/** `auto`: in a sandbox, and where there is none somebody is asked; `off`: the person wants none. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

export interface SandboxSettings {
  readonly mode: Sourced<SandboxMode>;
  readonly network: boolean;
  /** Places that may be written beside the tree, as they were written: `~` is the home. */
  readonly writable: readonly string[];
}

const defaultMode: ApprovalMode = "full-auto";

export function resolveApproval({ flags, project, user }: SettingSources): Result<ApprovalSettings, SettingsError> {
  const typed = flags.approval;
  const mode = typed === undefined ? null : APPROVAL_MODES.find((one) => one === typed);
  if (mode === undefined)
    return err({ kind: "settings", message: `--approval ${typed}: one of ${APPROVAL_MODES.join(", ")} is needed` });
  const rules = (name: "allow" | "deny", files: readonly (LoadedConfig | null)[]): readonly Sourced<string>[] => [
    ...(flags[name] ?? []).map((value) => ({ value, origin: { kind: "flag", flag: `--${name}` } as const })),
    ...files.flatMap((file) =>
      (file?.config.approval?.[name] ?? []).map((value) => ({
        value,
        origin: { kind: file === project ? "project" : "user", path: file?.path ?? "" } as const,
      })),
    ),
  ];
  return ok({
    mode: mode === null ? modeOfFiles(project, user) : { value: mode, origin: { kind: "flag", flag: "--approval" } },
    allow: rules("allow", [user]),
    deny: rules("deny", [project, user]),
  });
}

function modeOfFiles(project: LoadedConfig | null, user: LoadedConfig | null): Sourced<ApprovalMode> {
  const theirs = project?.config.approval?.mode;
  const own = user?.config.approval?.mode;
  if (theirs !== undefined && project !== null && stricterMode(theirs, own ?? defaultMode) === theirs && theirs !== own)
    return { value: theirs, origin: { kind: "project", path: project.path } };
  return own === undefined || user === null
    ? { value: defaultMode, origin: { kind: "default" } }
    : { value: own, origin: { kind: "user", path: user.path } };
}

export function resolveSandbox({ flags, user, env }: SettingSources): Result<SandboxSettings, SettingsError> {
  const sandbox = user?.config.sandbox;
  const named = [
    { text: flags.sandbox, origin: { kind: "flag", flag: "--sandbox" } },
    { text: variable(env, sandboxVariable) ?? undefined, origin: { kind: "variable", variable: sandboxVariable } },
    { text: sandbox?.mode, origin: { kind: "user", path: user?.path ?? "" } },
  ] as const;
  const found = named.find(({ text }) => text !== undefined);
  const mode = found === undefined ? "auto" : SANDBOX_MODES.find((one) => one === found.text);
  if (mode === undefined)
    return err({ kind: "settings", message: `--sandbox ${found?.text}: one of ${SANDBOX_MODES.join(", ")} is needed` });
  return ok({
    mode: { value: mode, origin: found?.origin ?? { kind: "default" } },
    network: flags.network === true || sandbox?.network === true,
    writable: [...(flags.writable ?? []), ...(sandbox?.writable ?? [])],
  });
}
