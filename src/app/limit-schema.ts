// The limits of a run and its check, as flags and files may set them: held to the same in both.

import { z } from "zod";
import { settingsMax } from "./settings-max.ts";

export const LIMITS = z.strictObject({
  budgetUsd: z.number().positive().max(settingsMax.budgetUsd).optional().describe("US dollars of a whole run."),
  requests: count(settingsMax.requests).optional().describe("Model requests of a whole run."),
  tasks: count(settingsMax.tasks).optional().describe("Tasks of a whole run."),
  depth: count(settingsMax.depth).optional().describe("Levels of planners."),
  minutes: z.number().positive().max(settingsMax.minutes).optional().describe("Time of a whole run."),
  workers: count(settingsMax.workers).optional().describe("Workers at the same time."),
});

export type LimitName = keyof z.infer<typeof LIMITS>;

export const CHECK = z.string().trim().min(1).max(settingsMax.checkChars);

export function count(max: number) {
  // Undefined leaves other errors their own words.
  const error = ({ code }: { readonly code: string }) =>
    code === "invalid_type" ? "expected a whole number" : undefined;
  return z.int({ error }).min(1).max(max);
}
