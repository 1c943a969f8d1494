// Keeps the program's compiled form between starts, which halves them; in the same place as kept-program.ts.
// Invariant: where nothing can be kept, the program runs all the same.

// Node's own modules are asked for by name: what imports them as an ES module touches all that they export, which loads a third of Node.

export function keepCompiled(env: NodeJS.ProcessEnv): void {
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  const place = compiledPlace(env);
  if (place !== null) enableCompileCache(place);
}

/** The directory, which is there; null where nothing can be kept. */
export function compiledPlace({ XDG_CACHE_HOME: caches, HOME: home }: NodeJS.ProcessEnv): string | null {
  const { join } = process.getBuiltinModule("node:path");
  const [base, ...below] = caches ? [caches, "skein"] : [home ?? "", ".cache", "skein"];
  const place = join(base, ...below, "compiled");
  // A relative place would be one in somebody's repository, and a home that is not there is not ours to make.
  return base.startsWith("/") && isDirectory(base) && isThere(place) ? place : null;
}

/** Made here, one directory after the other: Node, asked for several, tries for ever below a place like /proc. */
function isThere(path: string): boolean {
  const { dirname } = process.getBuiltinModule("node:path");
  if (isDirectory(path)) return true;
  if (dirname(path) === path || !isThere(dirname(path))) return false;
  try {
    process.getBuiltinModule("node:fs").mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    // Another process may have made it meanwhile.
    return isDirectory(path);
  }
}

function isDirectory(path: string): boolean {
  try {
    return process.getBuiltinModule("node:fs").statSync(path).isDirectory();
  } catch {
    return false;
  }
}
