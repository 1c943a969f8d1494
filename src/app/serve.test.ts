// `skein serve` on a disk that fills up: commits are refused with that reason, everything else goes on, and nothing is lost.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { openStoreClient } from "../adapters/socket/client.ts";
import { ok, unwrap } from "../base/result.ts";
import type { FileHandle, Files } from "../host/files.ts";
import { request } from "../testing/vcs/vcs-rig.ts";
import { serve } from "./serve.ts";
import { importNothing } from "./store-import.ts";
import type { Surroundings } from "./surroundings.ts";
import { openVcsStore } from "./vcs-store.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-serve-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A host whose disk takes no byte more while `disk.isFull`. */
function filling(disk: { isFull: boolean }): Surroundings {
  const host = nodeHost();
  const full = { kind: "file", code: "no-space", path: root, message: "the disk is full" } as const;
  const around = (handle: FileHandle): FileHandle => ({
    ...handle,
    append: async (chunks) => (disk.isFull ? { ok: false, error: full } : handle.append(chunks)),
  });
  const files: Files = {
    ...host.files,
    async open(...args) {
      const opened = await host.files.open(...args);
      return opened.ok ? ok(around(opened.value)) : opened;
    },
  };
  return {
    host: { ...host, files },
    env: {},
    cwd: root,
    processId: process.pid,
    platform: "linux",
    packageRoot: root,
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

async function served<T>(surroundings: Surroundings, act: (socket: string, stopped: Promise<string>) => Promise<T>) {
  const stop = new AbortController();
  const ready = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<string>();
  const ended = serve(surroundings, {
    directory: join(root, "store"),
    socket: join(root, "socket"),
    policies: null,
    limits: {},
    stop: stop.signal,
    onReady: ({ socket }) => ready.resolve(socket),
    onStopped: (message) => stopped.resolve(message),
  });
  void ended.then((result) => ready.reject(new Error(`it ended: ${JSON.stringify(result)}`)));
  const value = await act(await ready.promise, stopped.promise);
  stop.abort();
  return { value, ended: await ended };
}

async function clientOf({ host }: Surroundings, path: string) {
  const { net, clock } = host;
  return unwrap(await openStoreClient({ net, clock, soon: setImmediate, path }), "connect");
}

test("S21 on a full disk commits are refused and reads go on; with room again, serving goes on", async () => {
  const disk = { isFull: false };
  const surroundings = filling(disk);
  const store = unwrap(await openVcsStore(surroundings.host, join(root, "store"), { policies: [] }), "open");
  unwrap(await importNothing(store.vcs, "sha1"), "begin");
  await store.close();
  const kept = request({ by: 1, base: 1, files: { "kept.txt": "kept\n" } });
  const lost = request({ by: 2, base: 2, files: { "lost.txt": "lost\n" } });
  const first = await served(surroundings, async (socket, stopped) => {
    const client = await clientOf(surroundings, socket);
    const before = await client.commit(kept);
    disk.isFull = true;
    const refused = [await client.commit(lost), await client.commit(lost), await client.gc(0)];
    const early = unwrap(await client.stats(), "stats").figures.find(({ name }) => name === "commits")?.value;
    const told = await stopped;
    const listed = unwrap(await client.list(), "list");
    const [file] = listed.files;
    const stats = unwrap(await client.stats(), "stats").figures;
    const figures = Object.fromEntries(stats.map(({ name, value }) => [name, value]));
    const read = {
      again: await client.commit(kept),
      head: unwrap(await client.head(), "head").position,
      paths: listed.files.map(({ path }) => path),
      content: file === undefined ? null : await client.blob(file.blob, () => undefined),
      figures: [figures.position, figures.files, String(figures.stopped).includes("no-space")],
      faults: JSON.parse(unwrap(await client.fsck(), "fsck").report).faults,
    };
    client.close();
    return { before, refused, early, told, read };
  });
  disk.isFull = false;
  const second = await served(surroundings, async (socket) => {
    const client = await clientOf(surroundings, socket);
    const answers = [await client.commit(kept), await client.commit(lost)];
    client.close();
    return answers;
  });
  const noSpace = expect.stringContaining("the disk is full");
  const landed = (position: number) => ok({ kind: "landed", position, merged: [] });
  expect(first.value).toEqual({
    before: landed(2),
    refused: [1, 2, 3].map(() => ({ ok: false, error: { kind: "failed", failed: "store", message: noSpace } })),
    early: 1,
    told: noSpace,
    read: {
      again: landed(2),
      head: 2,
      paths: ["kept.txt"],
      content: ok(5),
      figures: [2, 1, true],
      faults: [],
    },
  });
  expect([first.ended, second.value, second.ended]).toEqual([
    { ok: false, error: { kind: "store-stopped", message: noSpace, store: join(root, "store") } },
    [landed(2), landed(3)],
    ok(undefined),
  ]);
});
