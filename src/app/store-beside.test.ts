// Much of a served store is read from its files, and never more than its server says is durable. The store's own reading of itself,
// through its only writer, is the measure.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { asPosition, type Position } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { importFiles, request } from "../testing/vcs/vcs-rig.ts";
import { besideServer } from "./store-beside.ts";
import { type StoreSource, sourceOf } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";
import { openVcsStore, type VcsStore } from "./vcs-store.ts";

const commits = 2_600;

/** Commits at the positions 2 to 2,601, with a content each. */
async function make(directory: string): Promise<VcsStore> {
  const store = unwrap(await openVcsStore(nodeHost(), directory, { policies: [] }), "open");
  await importFiles(store.vcs, { a: "a\n" });
  const answers = Array.from({ length: commits }, (_, by) =>
    store.vcs.commit(request({ by, base: 1, files: { [`f${by}`]: `content ${by}\n` } })),
  );
  await Promise.all(answers);
  return store;
}

/** A server that says that so much is durable, and notes what it is asked for. */
async function rig(directory: string, durable: number) {
  const store = await make(directory);
  const own = await sourceOf({ kind: "writer", store, close: store.close }, "s");
  if (own === null) throw new Error("it has a tree");
  const asked = { histories: [] as number[], contents: 0 };
  const served: StoreSource = {
    ...own,
    head: async () => asPosition(durable),
    async history(from) {
      asked.histories.push(from);
      return (await own.history(from)).filter(({ position }) => position <= durable);
    },
    blobs: {
      get(ids) {
        asked.contents += ids.length;
        return own.blobs.get(ids);
      },
    },
  };
  const surroundings = { host: nodeHost() } as Surroundings;
  return { store, asked, source: besideServer(surroundings, directory, served) };
}

test("what is far behind comes from the files up to the durable end, and the rest from the server", async () => {
  using directory = temporaryDirectory();
  const { store, asked, source } = await rig(join(directory.path, "store"), 2_500);
  const found: number[] = [];
  const rounds: number[] = [];
  for (let from: Position = asPosition(1); ; ) {
    const some = await source.history(from);
    const last = some.at(-1);
    if (last === undefined) break;
    const ids = some.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.kind === "put" ? [change.blob] : [])),
    );
    const contents = await source.blobs.get(ids);
    expect(contents.map((bytes) => Buffer.from(bytes).toString())).toEqual(
      some.map(({ position }) => `content ${position - 2}\n`),
    );
    rounds.push(some.length);
    found.push(...some.map(({ position }) => position));
    from = last.position;
  }
  expect(found).toEqual(Array.from({ length: 2_499 }, (_, index) => index + 2));
  // Two thousand from the files; the 499 after that are too few to open them for.
  expect([rounds, asked]).toEqual([[2_000, 499], { histories: [2_001, 2_500], contents: 499 }]);
  await source.close();
  await store.close();
});

test("files that are gone, and contents that they do not have, are asked for", async () => {
  using directory = temporaryDirectory();
  const place = join(directory.path, "store");
  const { store, asked, source } = await rig(place, 2_601);
  const [first, ...others] = await source.history(asPosition(1));
  const late = await store.vcs.commit(request({ by: 9, base: 2_601, files: { late: "late\n" } }));
  expect(late.ok).toBe(true);
  let newest: typeof first;
  for await (const commit of store.vcs.history(asPosition(2_601))) newest = commit;
  const idOf = (commit: typeof first) => (commit?.changes[0]?.kind === "put" ? [commit.changes[0].blob] : []);
  const contents = await source.blobs.get([...idOf(first), ...idOf(newest), ...idOf(others[3])]);
  expect(contents.map((bytes) => Buffer.from(bytes).toString())).toEqual(["content 0\n", "late\n", "content 4\n"]);
  expect(asked).toEqual({ histories: [], contents: 1 });
  await source.close();
  rmSync(join(place, "log.json"));
  rmSync(join(place, "segments"), { recursive: true });
  expect((await source.history(asPosition(1))).length).toBeGreaterThan(0);
  expect(asked.histories).toEqual([1]);
  await store.close();
});
