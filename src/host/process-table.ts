// Port to the machine's table of processes: what is known of one by its number, and what makes numbers comparable at all.
// Invariant: a failure to read is never told as an end.

/** Two numbers of processes mean the same only where all of this is the same. */
export interface Machine {
  /** Tells hosts apart that share a directory: its name and, where there is one, the system's machine id. */
  readonly host: string;
  /** Changes with every start of the system; null where it cannot be read. */
  readonly boot: string | null;
  /** The process namespace; null where it cannot be told. Systems without namespaces have one name for all. */
  readonly namespace: string | null;
}

export type ProcessStart =
  /** Linux: raw clock ticks since the system's start, which no clock's step changes. */
  | { readonly kind: "ticks"; readonly ticks: number }
  /** macOS: whole seconds since the epoch as `ps` tells them, good to two seconds, and the program. */
  | { readonly kind: "second"; readonly epochS: number; readonly command: string };

export type ProcessLook =
  | {
      readonly kind: "running";
      readonly start: ProcessStart;
      readonly parent: number;
      /** The program's short name, untrusted. */
      readonly name: string;
      /** `pts/3`; null without one. */
      readonly terminal: string | null;
    }
  /** Ended, and not yet taken note of by its parent. */
  | { readonly kind: "zombie" }
  | { readonly kind: "gone" }
  /** It exists, and the system tells nothing else of it: another user's. */
  | { readonly kind: "hidden" }
  | { readonly kind: "unreadable"; readonly message: string };

export interface ProcessChild {
  readonly pid: number;
  /** Milliseconds since its start, as the system's own clock tells. */
  readonly ageMs: number;
}

export interface ProcessTable {
  machine(): Promise<Machine>;
  /** Looks at all of these at once: on some systems one look costs as much as a hundred. */
  look(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessLook>>;
  /** What a process has started and what still runs of it; none where the process has gone. Null where the system does not tell. */
  children(pid: number): Promise<readonly ProcessChild[] | null>;
}
