// One name for one file: what a client calls it (relative, through symlinks, already gone) becomes the path within the worktree.

import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Files } from "../../host/files.ts";

/** Relative to the worktree where the file lies in it, else absolute. */
export async function touchedPath(
  files: Pick<Files, "realPath">,
  path: string,
  { cwd, worktree }: { readonly cwd: string; readonly worktree: string },
): Promise<string> {
  const real = await realOf(files, isAbsolute(path) ? resolve(path) : resolve(cwd, path));
  const inside = relative(worktree, real);
  return inside === "" || inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? real : inside;
}

/** Of a file that is gone the directory still tells where it was. */
async function realOf(files: Pick<Files, "realPath">, path: string): Promise<string> {
  let at = path;
  let below = "";
  for (;;) {
    const real = await files.realPath(at);
    if (real.ok) return join(real.value, below);
    if (dirname(at) === at) return path;
    below = join(basename(at), below);
    at = dirname(at);
  }
}
