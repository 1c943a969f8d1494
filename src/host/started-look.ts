// Port to a look at the worktree that was begun before this process: the launcher of hooks starts git and Node side by side.

/** `failed`: it may be asked once more. `given-up`: it took too long or told too much, as it would again. */
export type StartedOutput =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "failed" | "given-up" };

export interface StartedLook {
  /** Where git was started. */
  readonly directory: string;
  /** Milliseconds since the epoch: it began then or later. Null where that cannot be told. */
  readonly notBefore: () => number | null;
  /** What git printed, all of it; `failed` where it was asked for before. */
  readonly output: () => Promise<StartedOutput>;
  /** Ends what nobody asked for. */
  readonly drop: () => void;
}
