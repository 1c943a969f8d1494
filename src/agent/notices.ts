// The port through which an agent hears of what was going on beside it: results of children in the background. Each notice is
// said once: what `take` gave is the agent's to say.

export interface Notice {
  /** What it is about, for `said`. */
  readonly id: string;
  readonly text: string;
}

export interface Notices {
  /** Those that are there now, in order. */
  take(): readonly Notice[];
  /** The notices are in the agent's transcript: they are never given again, also after a crash. */
  said(ids: readonly string[]): Promise<void>;
  /** Waits until there is something to take, nothing more can come, or the signal aborts. */
  wait(signal: AbortSignal): Promise<"notice" | "nothing">;
}
