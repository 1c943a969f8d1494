// The settings of a command, from everything that may say one: flags, environment, the repository's file, the person's own.

import type { Result } from "../base/result.ts";
import { ok } from "../base/result.ts";
import type { Role } from "../model/provider.ts";
import { loadConfigs, userConfigPath } from "./config.ts";
import type { ConfigError } from "./config-text.ts";
import type { SettingFlags, SettingsError } from "./setting-sources.ts";
import { resolveSettings, type Settings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";

export interface SettingsRequest {
  readonly flags: SettingFlags;
  readonly roles: readonly Role[];
  /** Where the project's file is looked for first, absolute. */
  readonly directory: string;
  /** Null outside a repository. */
  readonly repositoryRoot: string | null;
  /** False for the demo, which means the same on every machine. */
  readonly configFiles: boolean;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** The person's own file, there or not; null where there is no place for one. */
  readonly userPath: string | null;
}

export async function loadSettings(
  { host, env, cwd }: Surroundings,
  { flags, roles, directory, repositoryRoot, configFiles }: SettingsRequest,
): Promise<Result<LoadedSettings, ConfigError | SettingsError>> {
  const loaded = configFiles
    ? await loadConfigs({ files: host.files, env, directory, repositoryRoot })
    : ok({ project: null, user: null });
  if (!loaded.ok) return loaded;
  const settings = resolveSettings({ flags, ...loaded.value, env: configFiles ? env : {}, cwd, roles });
  return settings.ok ? ok({ settings: settings.value, userPath: userConfigPath(env) }) : settings;
}
