// A store's server over a log in memory or of the test's choice, on a unix socket in a directory of its own, and clients of it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeClock } from "../../adapters/node/clock.ts";
import { nodeFiles } from "../../adapters/node/files.ts";
import { nodeNet } from "../../adapters/node/net.ts";
import { openStoreClient, type StoreClient } from "../../adapters/socket/client.ts";
import type { SocketLimits } from "../../adapters/socket/limits.ts";
import { logContents } from "../../adapters/socket/log-contents.ts";
import { type StoreServer, serveStore } from "../../adapters/socket/server.ts";
import { ok, unwrap } from "../../base/result.ts";
import type { Connection, Net } from "../../host/net.ts";
import { openLargeBlobs } from "../../log/large-blobs.ts";
import { withLargeBlobs } from "../../log/with-large-blobs.ts";
import { vcsLimits } from "../../vcs/limits.ts";
import type { UndoRequest } from "../../vcs/undo.ts";
import { type FileTexts, importFiles, openRig, type Rig, type RigOptions } from "../vcs/vcs-rig.ts";

export interface SocketRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly server: StoreServer;
  readonly path: string;
  client(net?: Net): Promise<StoreClient>;
  /** A connection that says nothing by itself. */
  raw(): Promise<Connection>;
}

export interface SocketRigOptions extends RigOptions {
  readonly files?: FileTexts;
  readonly socket?: Partial<SocketLimits>;
}

export async function socketRig({ files = {}, socket = {}, ...options }: SocketRigOptions = {}): Promise<SocketRig> {
  const directory = mkdtempSync(join(tmpdir(), "skein-socket-"));
  const large = unwrap(await openLargeBlobs(nodeFiles, directory), "open the large contents");
  const rig = await openRig({ ...options, around: (log) => withLargeBlobs(log, large) });
  await importFiles(rig.vcs, files);
  const { vcs, ledger, log } = rig;
  const path = join(directory, "socket");
  const upkeep = {
    stats: async () => ({ figures: [{ name: "commits", value: vcs.figures().commits }], hottest: vcs.hottest(10) }),
    undo: async (request: UndoRequest) => ok(JSON.stringify(await vcs.undo(request))),
    gc: async () => ({ ok: false as const, error: "a log in memory has nothing to collect" }),
    fsck: async () => ({ ok: true as const, value: "{}" }),
    import: async () => ({ ok: false as const, error: "there is a tree already" }),
  };
  const store = {
    identity: { log: "a log in memory", directory },
    vcs,
    ledger,
    limits: { ...vcsLimits, ...options.limits },
    contents: logContents(log, large),
    upkeep,
  };
  const serving = { net: nodeNet, clock: nodeClock, soon: setImmediate, store, path, pid: process.pid, limits: socket };
  const server = unwrap(await serveStore(serving), "serve");
  const clients: StoreClient[] = [];
  return {
    rig,
    server,
    path,
    async client(net = nodeNet) {
      const client = unwrap(await openStoreClient({ net, clock: nodeClock, soon: setImmediate, path }), "connect");
      clients.push(client);
      return client;
    },
    raw: async () => unwrap(await nodeNet.connect(path), "connect"),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server.close("the test is over");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
