// Port to time. `now` is wall time for records that people read; `monotonicMs` measures spans and never steps back.

export interface Clock {
  /** Milliseconds since the epoch, whole. */
  now(): number;
  /** Milliseconds from an arbitrary start, fractional. */
  monotonicMs(): number;
  /** Resolves after `ms`, or early (without an error) when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms` unless cancelled. */
  after(ms: number, callback: () => void): { cancel(): void };
}
