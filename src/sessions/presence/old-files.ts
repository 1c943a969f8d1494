// Removes what nobody has renewed for long from a directory of small caches.

import { basename, dirname } from "node:path";
import type { Files } from "../../host/files.ts";

/** More are left for the next time. */
const entriesMax = 10_000;

/** All beside `path`, and not itself, that were changed before a moment, in milliseconds since the epoch. */
export async function removeOlderBeside(
  files: Pick<Files, "list" | "stat" | "remove">,
  path: string,
  thanMs: number,
): Promise<void> {
  const directory = dirname(path);
  const listed = await files.list(directory, entriesMax);
  for (const { name } of listed.ok ? listed.value : []) {
    const stat = name === basename(path) ? null : await files.stat(`${directory}/${name}`);
    if (stat?.ok && stat.value.changedMs < thanMs) await files.remove(`${directory}/${name}`);
  }
}
