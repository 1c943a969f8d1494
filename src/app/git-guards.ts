// Places in a person's own directory that commands in a sandbox may not write, since the person's git would run what they say: its `.git`, and
// those of submodules, which `git status` of the whole repository looks into.

import { join, resolve } from "node:path";
import type { Files } from "../host/files.ts";
import { relativeInside } from "../tools/path.ts";

const modulesBytesMax = 256 * 1024;
const modulesMax = 500;

/** `root` is the agents' tree and `top` its repository's, both without symlinks. */
export async function gitGuards(
  files: Files,
  { root, top }: { readonly root: string; readonly top: string },
): Promise<readonly string[]> {
  const listed = await files.read(join(top, ".gitmodules"), modulesBytesMax);
  const text = listed.ok ? Buffer.from(listed.value).toString("utf8") : "";
  const paths = [...text.matchAll(/^\s*path\s*=\s*"?(.+?)"?\s*$/gm)]
    .slice(0, modulesMax)
    .map(([, path = ""]) => resolve(top, path));
  const inside = paths.filter((path) => relativeInside(root, path) !== null && path !== root);
  const guards = await Promise.all(inside.map((path) => guardOf(files, path)));
  return [join(root, ".git"), ...guards.filter((path) => path !== null)];
}

/** Without a repository in the directory there is nothing to guard; one that has come into being is then said. Null where none has. */
export async function gitWatch(files: Files, root: string): Promise<() => Promise<string | null>> {
  const path = join(root, ".git");
  const isThere = async () => (await files.stat(path)).ok;
  const was = await isThere();
  return async () =>
    was || !(await isThere())
      ? null
      : `this run has made ${path}: git runs what its config and hooks say, with your rights. Look at them before you use git in this directory`;
}

/** Of a submodule that is not there yet the whole directory: it has nothing to be changed in it, and would take any `.git`. */
async function guardOf(files: Files, path: string): Promise<string | null> {
  const real = await files.realPath(path);
  if (!real.ok || real.value !== path) return null;
  const pointer = join(path, ".git");
  return (await files.stat(pointer)).ok ? pointer : path;
}
