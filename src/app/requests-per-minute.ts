// Whether `--requests-per-minute` says a number that can be kept: the limiter remembers each request of the last minute.

import type { SettingsError } from "./setting-sources.ts";
import { settingsMax } from "./settings-max.ts";

/** Null where it may stand; what is not given may. */
export function requestsPerMinuteProblem(value: number | undefined): SettingsError | null {
  const max = settingsMax.requestsPerMinute;
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return null;
  const message = `--requests-per-minute ${value}: a whole number from 1 to ${max} is needed`;
  return { kind: "settings", message };
}
