// Children that do not outlive us: a watcher in the child's group waits for the end of a pipe that only we hold open.
// The kernel closes that pipe however we die, so a `kill -9` of this process ends its children too, and on Linux also what has left
// the group: it carries the command's mark in its environment.

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beginDescriptor, type SpawnSpec } from "../../host/processes.ts";
import { markVariable } from "./process-tree.ts";

/**
 * The watcher gives up the child's outputs, or it would hold them open; the program takes the shell's place, and the mark is set for it
 * alone. The watcher outlasts what stops the group softly, so that somebody watches until the end.
 */
const WATCHED = `(exec <&3 3<&- ${beginDescriptor}>&- >/dev/null 2>&1; trap '' TERM INT HUP; read -r _
for round in 1 2 3; do
  found=$(grep -lsF -e "${markVariable}=$1" /proc/[0-9]*/environ)
  for file in $found; do file=\${file#/proc/}; kill -KILL "\${file%/environ}"; done
done
kill -KILL 0) & exec 3<&-; ${markVariable}=$1; export ${markVariable}; shift; exec "$@"`;

export interface Watched {
  readonly spec: SpawnSpec;
  /** In the environment of all that the program starts; null where it is not watched. */
  readonly mark: string | null;
}

/** The same program with a watcher beside it; unchanged where the program is missing, so that the error is still its own. */
export async function underWatch(spec: SpawnSpec): Promise<Watched> {
  if (!(await exists(spec))) return { spec: { ...spec, diesWithUs: false }, mark: null };
  const mark = randomUUID();
  return { spec: { ...spec, argv: ["/bin/sh", "-c", WATCHED, "sh", mark, ...spec.argv] }, mark };
}

async function exists({ argv: [program], cwd, env }: SpawnSpec): Promise<boolean> {
  const places = program.includes("/")
    ? [join(cwd, program), program]
    : (env.PATH ?? "").split(delimiter).map((directory) => join(directory, program));
  for (const place of places)
    if (
      await access(place, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}
