// Marks of directories whose worktree is known (sessions/presence/worktree-memory.ts): below one the launcher starts no git beside the hook,
// unless the index has changed since. In the person's cache, a file for each directory: its path, and the index's. Only a hint.

import { dirname } from "node:path";
import { removeOlderBeside } from "../sessions/presence/old-files.ts";
import type { SessionFiles } from "../sessions/presence/session-file.ts";

/** In Skein's part of the person's cache directory. */
export const MARKS = "looks";

const namesMax = 255;
const keptMs = 30 * 24 * 60 * 60_000;

type MarkFiles = Pick<SessionFiles, "write" | "remove" | "makeDirectory" | "list" | "stat">;

export interface LookMark {
  /** Where the person's caches are is said by XDG_CACHE_HOME or HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the launcher was started. */
  readonly directory: string;
  /** Null: git is to be started again. */
  readonly index: string | null;
  readonly now: number;
}

export async function markLook(files: MarkFiles, { env, directory, index, now }: LookMark): Promise<void> {
  const name = directory.split("/").join("%");
  if (/\n/.test(`${directory}${index ?? ""}`) || Buffer.byteLength(name) > namesMax) return;
  const base = env.XDG_CACHE_HOME || (env.HOME ?? "");
  // A relative place would be one in somebody's repository, and a home that is not there is not ours to make.
  if (!base.startsWith("/") || !(await files.stat(base)).ok) return;
  const path = `${base}${env.XDG_CACHE_HOME ? "" : "/.cache"}/skein/${MARKS}/${name}`;
  if (index === null) return void (await files.remove(path));
  const isNew = !(await files.stat(path)).ok;
  const bytes = new TextEncoder().encode(`${directory}\n${index}\n`);
  const written = await files.write(path, bytes, { private: true });
  if (!written.ok && written.error.code === "not-found") {
    const made = await files.makeDirectory(dirname(path), { private: true });
    if (made.ok) await files.write(path, bytes, { private: true });
  }
  if (isNew) await removeOlderBeside(files, path, now - keptMs);
}
