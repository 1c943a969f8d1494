// A task's scope: the globs of the paths it may change. Which commits a scope forbids is a policy of whoever hands it in.

import picomatch from "picomatch";
import type { RepoPath } from "../base/ids.ts";

/**
 * Whether a path lies in a scope. Each item names a path, a directory with all below it (`src/parser`, `src/parser/`),
 * or is a glob in which `*` stays in one part, `**` crosses parts, and both match names that begin with a dot.
 * An item that begins with `!` takes out of the scope what the others put in, wherever it stands in the list.
 * An empty scope holds no path: what "no scope" means is the caller's to say.
 */
export function inScope(scope: readonly string[], path: RepoPath): boolean {
  const excluded = scope.filter((item) => item.startsWith("!")).map((item) => item.slice(1));
  const included = scope.filter((item) => !item.startsWith("!"));
  return included.some((item) => covers(item, path)) && !excluded.some((item) => covers(item, path));
}

/**
 * What of a scope is not in an area, null if nothing is: a path there is, else an item. For files that are not there yet an item is
 * judged by its own form: where the area's globs cover its wildcards they cover what these stand for.
 */
export function outsideArea(
  scope: readonly string[],
  area: readonly string[],
  paths: readonly RepoPath[],
): string | null {
  const path = paths.find((known) => inScope(scope, known) && !inScope(area, known));
  if (path !== undefined) return path;
  const included = scope.filter((item) => !item.startsWith("!"));
  return included.find((item) => !samplesOf(item).every((sample) => inScope(area, sample))) ?? null;
}

/** Paths that stand for all that an item covers; `**` is as many parts as it can be, and none. */
function samplesOf(item: string): readonly RepoPath[] {
  const name = item
    .trim()
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "/**");
  const deep = name.replace(/\*\*/g, "*/*");
  const shallow = name.replace(/\*\*\//g, "").replace(/\/\*\*$/, "/*");
  return [deep, shallow].map((sample) => {
    const whole = sample === "" || sample === "." ? "*/*" : sample;
    // Not the wildcard itself: an area that is written alike would take it for its name.
    return whole.replace(/[*?]+/g, anyName) as RepoPath;
  });
}

/** A name that only a wildcard matches. */
const anyName = "\u00a7";

function covers(item: string, path: RepoPath): boolean {
  const text = item.trim();
  const name = text.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (name === "" || name === ".") return text !== "";
  // The literal reading comes first: a plain directory needs no glob, and many names look like one.
  if (path === name || path.startsWith(`${name}/`)) return true;
  if (name.length > globCharsMax) return false;
  const globs = text.endsWith("/") ? [name, `${name}/**`] : [name];
  // Brackets are a set of characters, or part of a name such as `app/[id]/page.tsx`: either reading will do.
  return globs.flatMap((glob) => [glob, glob.replace(/[[\]]/g, "\\$&")]).some((glob) => matcher(glob)(path));
}

const globCharsMax = 4_000;
const matchersMax = 1_000;
const matchers = new Map<string, (path: string) => boolean>();

/** Compiled once per glob: a commit's every path is asked against the same few. */
function matcher(glob: string): (path: string) => boolean {
  const known = matchers.get(glob);
  if (known !== undefined) return known;
  if (matchers.size >= matchersMax) matchers.clear();
  // Parentheses are part of names such as `app/(shop)`; as pattern groups they could also make matching very slow.
  const made = picomatch(glob.replace(/[()]/g, "\\$&"), { dot: true, nonegate: true, windows: false });
  matchers.set(glob, made);
  return made;
}
