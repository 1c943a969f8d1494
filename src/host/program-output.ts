// Port to programs that are only asked something: started, waited for within limits, what they printed taken. A process that lives for
// milliseconds does it without streams.

export interface ProgramQuestion {
  /** Program and arguments; no shell is involved. It gets no input. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** It is killed after this many milliseconds. */
  readonly msMax: number;
  /** It is killed when it prints more. */
  readonly bytesMax: number;
}

/** What it printed on standard output; null where it could not be started, passed a limit, or ended with another code than 0. */
export type ProgramOutput = (question: ProgramQuestion) => Promise<Uint8Array | null>;
