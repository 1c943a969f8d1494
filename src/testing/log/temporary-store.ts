// A segment log in a temporary directory of the real file system.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "../../adapters/node/host.ts";
import { type LogStore, logStore } from "./log-store.ts";

export interface TemporaryStore extends LogStore {
  readonly directory: string;
  dispose(): Promise<void>;
}

export async function temporaryStore(): Promise<TemporaryStore> {
  const directory = await mkdtemp(join(tmpdir(), "skein-log-"));
  return {
    ...logStore(nodeHost(), directory),
    directory,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
