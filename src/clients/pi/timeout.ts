// How long pi waits for our hook before it goes on without it.

export const PI_TIMEOUT_S = 5;
