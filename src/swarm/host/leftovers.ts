// What hosts that died have left and nobody needs: removed when the next host starts.

import { join } from "node:path";
import type { HostEnvironment } from "./environment.ts";
import { removeTree } from "./overlays.ts";

const leftoversMax = 100_000;

export async function removeLeftovers(environment: HostEnvironment): Promise<void> {
  const { client, host, directories } = environment;
  const left = await host.files.list(directories.workspaces, leftoversMax);
  if (!left.ok || left.value.length === 0) return;
  const names = left.value.map(({ name }) => name).filter((name) => name.length <= 100);
  const { removable } = await client.ask({ kind: "leftovers", names });
  for (const name of removable) await removeTree(environment, join(directories.workspaces, name));
}
