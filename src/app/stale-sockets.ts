// Removes what dead coordinators left in the temporary directory. Invariant: only directories of our own form that hold nothing but a
// coordinator's socket which nobody answers; a coordinator that is just beginning has no socket yet, so an empty one must be old.

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import type { Surroundings } from "./surroundings.ts";

/** Names of the directories that hold a coordinator's socket. */
export const socketDirectoryForm = /^skein-[a-z2-7]{12}$/;
export const socketName = "coordinator";

const entriesMax = 100_000;
/** Looked at in one go: a start is not to wait long for it. */
const looksMax = 100;
const emptyAgeMsMin = 60 * 60_000;

export async function removeStaleSockets({ host, temporaryDirectory }: Surroundings): Promise<void> {
  const entries = await host.files.list(temporaryDirectory, entriesMax);
  if (!entries.ok) return;
  const ours = entries.value.filter(({ name, kind }) => kind === "directory" && socketDirectoryForm.test(name));
  for (const { name } of ours.slice(0, looksMax)) {
    const directory = join(temporaryDirectory, name);
    // Somebody else's cannot be removed, which is as it should be.
    if (await isStale(host, directory)) await host.files.remove(directory);
  }
}

async function isStale({ files, net, clock }: Host, directory: string): Promise<boolean> {
  const inside = await files.list(directory, 2);
  if (!inside.ok) return false;
  const [first, ...others] = inside.value;
  if (first === undefined) {
    const stat = await files.stat(directory);
    return stat.ok && clock.now() - stat.value.changedMs > emptyAgeMsMin;
  }
  if (first.name !== socketName || others.length > 0) return false;
  const refused = async (): Promise<boolean> => {
    const connection = await net.connect(join(directory, socketName));
    if (connection.ok) connection.value.close();
    return !connection.ok && connection.error.code === "refused";
  };
  if (!(await refused())) return false;
  // One that was bound a moment ago and does not listen yet.
  await clock.sleep(beginMs);
  return refused();
}

const beginMs = 100;
