// What settings are made from, what a role's are, and how a wrong one is answered.

import type { Role } from "../model/provider.ts";
import type { LoadedConfig } from "./config.ts";
import type { ModelName } from "./model-names.ts";
import type { Sourced } from "./origin.ts";
import type { Surroundings } from "./surroundings.ts";

/** As the person typed them; what is left out or undefined was not named. */
export interface SettingFlags {
  readonly model?: string | undefined;
  readonly child?: string | undefined;
  readonly planner?: string | undefined;
  readonly worker?: string | undefined;
  readonly arbiter?: string | undefined;
  /** `<url>` or `<provider>=<url>`. */
  readonly baseUrls?: readonly string[] | undefined;
  readonly budgetUsd?: number | undefined;
  readonly requests?: number | undefined;
  readonly tasks?: number | undefined;
  readonly depth?: number | undefined;
  readonly minutes?: number | undefined;
  readonly workers?: number | undefined;
  readonly check?: string | undefined;
  readonly approval?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly sandbox?: string | undefined;
  readonly network?: boolean | undefined;
  readonly writable?: readonly string[] | undefined;
}

export interface SettingSources {
  readonly flags: SettingFlags;
  readonly project: LoadedConfig | null;
  readonly user: LoadedConfig | null;
  readonly env: Surroundings["env"];
  /** Files in flags and variables are relative to it. */
  readonly cwd: string;
  /** The roles that the command has: what a `--base-url` without a provider means depends on their models. */
  readonly roles: readonly Role[];
}

export interface RoleSettings {
  /** Null where nobody named one; files and directories are absolute. */
  readonly model: Sourced<ModelName> | null;
  readonly maxOutputTokens: Sourced<number> | null;
  readonly contextTokens: Sourced<number> | null;
}

export interface SettingsError {
  readonly kind: "settings";
  /** The flag or variable, and what is allowed. */
  readonly message: string;
}
