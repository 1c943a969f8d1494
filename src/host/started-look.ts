// Port to a look at the worktree that was begun before this process: the launcher of hooks starts git and Node side by side.

export interface StartedLook {
  /** Where git was started. */
  readonly directory: string;
  /** Milliseconds since the epoch: it began then or later. Null where that cannot be told. */
  readonly notBefore: () => number | null;
  /** What git printed, all of it; null where it failed, took too long, or was asked for before. */
  readonly output: () => Promise<Uint8Array | null>;
  /** Ends what nobody asked for. */
  readonly drop: () => void;
}
