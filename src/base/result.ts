// Result: what may be expected to fail returns a value; only bugs throw.

export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** The value, or a crash: for failures that only a bug can cause. */
export function unwrap<T, E>(result: Result<T, E>, what: string): T {
  if (result.ok) return result.value;
  throw new Error(`${what}: ${JSON.stringify(result.error)}`);
}
