// Which names in the registry's directories are ours. What is being made or removed begins with a dot.

/** What we make: never hidden, never a way out. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name);
}
