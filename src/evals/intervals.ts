// Arithmetic of spans of time: how long at least one was open, and how many were open at once.

export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** Milliseconds in which at least one of them was open. */
export function unionMs(intervals: readonly Interval[]): number {
  let covered = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs } of intervals.toSorted((a, b) => a.startMs - b.startMs)) {
    if (endMs <= untilMs) continue;
    covered += endMs - Math.max(startMs, untilMs);
    untilMs = endMs;
  }
  return covered;
}

/** The most that were open at one moment; one that ends as another begins does not meet it. */
export function peakOf(intervals: readonly Interval[]): number {
  const edges = intervals
    .filter(({ startMs, endMs }) => endMs > startMs)
    .flatMap(({ startMs, endMs }) => [
      { atMs: startMs, by: 1 },
      { atMs: endMs, by: -1 },
    ]);
  let open = 0;
  let most = 0;
  for (const { by } of edges.toSorted((a, b) => a.atMs - b.atMs || a.by - b.by)) {
    open += by;
    most = Math.max(most, open);
  }
  // Those that began and ended within one millisecond were there all the same.
  return intervals.length > 0 ? Math.max(1, most) : 0;
}
