// How long opencode waits for our hook before it goes on without it.

export const OPENCODE_TIMEOUT_S = 5;
