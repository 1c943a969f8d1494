// Children that do not outlive us: a watcher in the child's group waits for the end of a pipe that only we hold open.
// The kernel closes that pipe however we die, so a `kill -9` of this process ends its children too.

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { SpawnSpec } from "../../host/processes.ts";

/** The watcher gives up the child's outputs, or it would hold them open; the program takes the shell's place. */
const WATCHED = '(exec <&3 3<&- >/dev/null 2>&1; read -r _; kill -KILL 0) & exec 3<&-; exec "$@"';

/** The same program with a watcher beside it; unchanged where the program is missing, so that the error is still its own. */
export async function underWatch(spec: SpawnSpec): Promise<SpawnSpec> {
  if (!(await exists(spec))) return { ...spec, diesWithUs: false };
  return { ...spec, argv: ["/bin/sh", "-c", WATCHED, "sh", ...spec.argv] };
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
