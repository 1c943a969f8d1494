// Which resources a call on one path touches: the file itself where it is there, so that calls on different files run together.
// Whatever is not sure is the whole tree: a call then waits longer than it would have to, and sees what it should.

import { dirname } from "node:path";
import { type Claim, resourceAt } from "../agent/claim.ts";
import type { ToolEnv } from "./env.ts";
import { resolvePath } from "./path.ts";

type ClaimEnv = Pick<ToolEnv, "files" | "root" | "spillDirectory" | "writeScope">;

export async function readsFile(env: ClaimEnv, given: string): Promise<Claim> {
  const path = await resolvePath(env, given, "read");
  if (!path.ok) return { kind: "read", what: "tree" };
  // An answer about what is no file tells of what is around it.
  for (let at = path.value.absolute; ; at = dirname(at)) {
    const stat = await env.files.stat(at);
    if (stat.ok || at === dirname(at)) return { kind: "read", what: [resourceAt(at)] };
  }
}

export async function writesFile(env: ClaimEnv, given: string): Promise<Claim> {
  const path = await resolvePath(env, given, "write");
  return { kind: "write", what: path.ok ? [resourceAt(path.value.absolute)] : "tree" };
}
