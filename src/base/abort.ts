// Waiting that an abort cuts short. The listener is removed when the wait is over, so that a signal as old as a run collects none.

export type OrAborted<T> = { readonly kind: "value"; readonly value: T } | { readonly kind: "aborted" };

/**
 * The value of `work`, or `aborted` as soon as the signal aborts; a value that is there already wins over the abort.
 * After an abort nobody waits for `work`: a later rejection of it is ignored.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<OrAborted<T>> {
  const { promise: aborted, resolve } = Promise.withResolvers<OrAborted<T>>();
  const onAbort = () => resolve({ kind: "aborted" });
  const value = work.then((value): OrAborted<T> => ({ kind: "value", value }));
  value.catch(() => {});
  if (signal.aborted) {
    // One turn of the microtask queue lets a finished `work` speak first.
    await Promise.resolve();
    await Promise.resolve();
    onAbort();
  } else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
