// What one shard needs.
export const BASE_TIMEOUT_MS = 1500;
export const RESULTS_MAX = 200;
