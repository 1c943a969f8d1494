// The largest values that a setting takes, from a file or a flag.

/** Runs beyond these are mistakes of typing. */
export const settingsMax = {
  budgetUsd: 1_000_000,
  requests: 10_000_000,
  tasks: 100_000,
  depth: 20,
  minutes: 43_200,
  workers: 1_000,
  requestsPerMinute: 1_000_000,
  turns: 1_000_000,
  outputTokens: 1_000_000,
  contextTokens: 100_000_000,
  usdPerMtok: 100_000,
  checkChars: 4_000,
  listed: 1_000,
} as const;
