// S7: a store's server that dies at any moment, by `kill -9` or with its machine's power, and comes back: its clients repeat what they
// were not told, and each commit is there once. All of it on the simulated host, from one seed.

import { expect, it } from "vitest";
import { openStoreClient, type StoreClient } from "../../src/adapters/socket/client.ts";
import { logContents } from "../../src/adapters/socket/log-contents.ts";
import { type StoreServer, serveStore } from "../../src/adapters/socket/server.ts";
import { importNothing } from "../../src/app/store-import.ts";
import { openVcsStore, type VcsStore } from "../../src/app/vcs-store.ts";
import { asAgentId, asCommitKey, asPosition, asTaskId, type RepoPath } from "../../src/base/ids.ts";
import { err, unwrap } from "../../src/base/result.ts";
import type { Host } from "../../src/host/host.ts";
import { blobIdOf } from "../../src/log/blob-id.ts";
import { type SimHost, simHost } from "../../src/testing/sim/host.ts";
import { seededRandom } from "../../src/testing/sim/random.ts";
import { vcsLimits } from "../../src/vcs/limits.ts";

const directory = "/store";
const path = "/run/socket";
const writers = 4;
const commitsEach = 6;

it.each(Array.from({ length: 25 }, (_, seed) => seed))("S7 crashes and reconnections, seed %i", async (seed) => {
  const random = seededRandom(seed, "crashes");
  const machine = simHost({ seed, flushMsMax: 5 });
  const people = machine.newProcess();
  const work = scenario();
  const { landed, found } = await machine.run(work);
  expect(found).toEqual(landed);

  async function scenario() {
    for (const each of [directory, "/run"]) unwrap(await machine.files.makeDirectory(each), "make");
    let server = await start(machine);
    unwrap(await importNothing(server.store.vcs, "sha1"), "import");
    const told: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: writers }, (_, writer) => writeAll(people, writer, told));
    const done = Promise.all(clients).then(() => {
      isOver = true;
    });
    for (let crashes = 0; crashes < 3 && !isOver; crashes += 1) {
      await people.clock.sleep(5 + random.unit() * 60);
      server.host.kill();
      server = await start(machine);
    }
    await done;
    const found: string[] = [];
    for await (const { position, message } of server.store.vcs.history()) found.push(`${message} at ${position}`);
    await server.server.close("the end");
    await server.store.close();
    return { landed: told.sort(), found: found.sort() };
  }
});

interface Running {
  readonly host: SimHost;
  readonly store: VcsStore;
  readonly server: StoreServer;
}

async function start(machine: SimHost): Promise<Running> {
  const host = machine.newProcess();
  const store = unwrap(await openVcsStore(host, directory, { policies: [] }), "open");
  const upkeep = {
    stats: async () => ({ figures: [], hottest: [] }),
    undo: async () => err("not here"),
    gc: async () => ({ ok: false as const, error: "not asked" }),
    fsck: async () => ({ ok: false as const, error: "not asked" }),
    import: async () => ({ ok: false as const, error: "not asked" }),
  };
  const served = {
    identity: { log: "simulated", directory },
    vcs: store.vcs,
    ledger: store.ledger,
    limits: vcsLimits,
    contents: logContents(store.log, store.large),
    upkeep,
  };
  const options = { net: host.net, clock: host.clock, soon: soonOf(host), store: served, path, pid: 1 };
  return { host, store, server: unwrap(await serveStore(options), "serve") };
}

function soonOf({ clock }: Host) {
  return (act: () => void) => void clock.after(0, act);
}

async function writeAll(host: SimHost, writer: number, told: string[]): Promise<void> {
  const options = { net: host.net, clock: host.clock, soon: soonOf(host), path, patienceMs: 60_000 };
  const client = await connected(options, host);
  let base = asPosition(1);
  for (let number = 0; number < commitsEach; number += 1) {
    const name = `w${writer}-${number}`;
    const bytes = Buffer.from(`${name}\n`);
    const blob = blobIdOf(bytes, "sha1");
    const answered = await client.commit({
      key: asCommitKey(name),
      base,
      author: { agent: asAgentId(`w${writer}`), task: asTaskId(name) },
      message: name,
      changes: [{ kind: "put", path: `w${writer}` as RepoPath, blob, mode: "100644" }],
      blobs: [{ id: blob, bytes }],
    });
    const outcome = unwrap(answered, "commit");
    if (outcome.kind !== "landed") throw new Error(`${name}: ${outcome.kind}`);
    base = outcome.position;
    told.push(`${name} at ${base}`);
  }
  client.close();
}

/** The server may be dead at the very beginning. */
async function connected(options: Parameters<typeof openStoreClient>[0], host: SimHost): Promise<StoreClient> {
  for (;;) {
    const client = await openStoreClient(options);
    if (client.ok) return client.value;
    await host.clock.sleep(10);
  }
}
