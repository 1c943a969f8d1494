// Stores to measure on: a tree of so many files, then as many small commits as wanted, made in this process by the engine itself.

import { nodeHost } from "../../src/adapters/node/host.ts";
import { openVcsStore } from "../../src/app/vcs-store.ts";
import { asAgentId, asCommitKey, asPosition, asTaskId, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import type { NewBlob } from "../../src/log/log.ts";
import type { Entry } from "../../src/vcs/types.ts";
import { BenchRandom, idOf, pathOf, textOf } from "./random.ts";

export interface StoreWish {
  readonly directory: string;
  readonly files: number;
  readonly fileBytes: number;
}

export async function makeStore({ directory, files, fileBytes }: StoreWish): Promise<void> {
  const store = unwrap(await openVcsStore(nodeHost(), directory, { policies: [] }), "open");
  const random = new BenchRandom(42);
  const entries = new Map<RepoPath, Entry>();
  function* blobs(): Generator<readonly NewBlob[]> {
    for (let index = 0; index < files; index += 1) {
      const bytes = textOf(fileBytes, random, `file ${index}`);
      const id = idOf(bytes);
      entries.set(pathOf(index), { blob: id, mode: "100644" });
      yield [{ id, bytes }];
    }
  }
  const source = { repository: "", branch: null, commit: "0".repeat(40), tree: "0".repeat(40) };
  unwrap(await store.vcs.importTree({ source, objectFormat: "sha1", entries, blobs: blobs() }), "import");
  await store.close();
}

const atOnce = 512;

/** So many small commits on top: one file of 200 bytes, or so many, each. Answers how long they took, seconds. */
export async function addHistory(
  directory: string,
  commits: number,
  files: number,
  seed: number,
  fileBytes = 200,
): Promise<number> {
  const store = unwrap(await openVcsStore(nodeHost(), directory, { policies: [] }), "open");
  const random = new BenchRandom(seed);
  const startMs = performance.now();
  for (let done = 0; done < commits; done += atOnce) {
    const base = asPosition(store.ledger.end);
    const group = Array.from({ length: Math.min(atOnce, commits - done) }, (_, index) => {
      const bytes = textOf(fileBytes, random, `${seed} ${done + index}`);
      const id = idOf(bytes);
      // Each of the group its own path, so that all land.
      const path = pathOf((random.below(Math.max(1, Math.floor(files / atOnce))) * atOnce + index) % files);
      return store.vcs.commit({
        key: asCommitKey(`h-${seed}-${done + index}`),
        base,
        author: { agent: asAgentId("a"), task: asTaskId("t") },
        message: "history",
        changes: [{ kind: "put", path, blob: id, mode: "100644" }],
        blobs: [{ id, bytes }],
      });
    });
    for (const answer of await Promise.all(group)) unwrap(answer, "commit");
  }
  const seconds = (performance.now() - startMs) / 1_000;
  await store.close();
  return seconds;
}
