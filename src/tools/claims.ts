// Which resources a call on one path touches: the file itself where it is there, so that calls on different files run together.
// Whatever is not sure is the whole tree: a call then waits longer than it would have to, and sees what it should.

import { dirname, join } from "node:path";
import { type Claim, resourceAt } from "../agent/claim.ts";
import type { ToolEnv } from "./env.ts";
import { resolvePath } from "./path.ts";

type ClaimEnv = Pick<ToolEnv, "files" | "root" | "spillDirectory" | "writeScope" | "hidden">;

export async function readsFile(env: ClaimEnv, given: string): Promise<Claim> {
  const path = await resolvePath(env, given, "read");
  if (!path.ok) return { kind: "read", what: "tree" };
  // An answer about what is no file tells of what is around it.
  for (let at = path.value.absolute; ; at = dirname(at)) {
    const stat = await env.files.stat(at);
    if (stat.ok || at === dirname(at)) return { kind: "read", what: [resourceAt(at)] };
  }
}

/** Names of files whose rules leave others out of a search. */
const ignoreFiles = [".gitignore", ".ignore", ".rgignore"];

/** A search in one directory depends on what is in it, and on the ignore rules of those above it. */
export async function readsBelow(env: ClaimEnv, given: string | undefined): Promise<Claim> {
  const claim = given === undefined ? null : await readsFile(env, given);
  if (claim === null || claim.kind !== "read" || claim.what === "tree") return { kind: "read", what: "tree" };
  const rules = claim.what.flatMap((path) =>
    directoriesAbove(path).flatMap((at) => ignoreFiles.map((name) => join(at, name))),
  );
  return { kind: "read", what: [...claim.what, ...rules] };
}

function directoriesAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...directoriesAbove(above)];
}

export async function writesFile(env: ClaimEnv, given: string): Promise<Claim> {
  const path = await resolvePath(env, given, "write");
  return { kind: "write", what: path.ok ? [resourceAt(path.value.absolute)] : "tree" };
}
