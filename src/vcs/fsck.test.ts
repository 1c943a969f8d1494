// fsck finds what is wrong wherever it stands, says file, byte and position, and calls nothing a fault that is none.

import { beforeEach, expect, test } from "vitest";
import { asPosition } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { openLedger } from "../log/ledger.ts";
import { openSegmentLog } from "../log/segments/segment-log.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { importFiles, request } from "../testing/vcs/vcs-rig.ts";
import { openVcs } from "./engine.ts";
import { vcsFold } from "./fold.ts";
import { fsck } from "./fsck.ts";
import { collectGarbage } from "./gc.ts";

const directory = "/state/store";
const segments = `${directory}/segments`;
const limits = { writtenBytesKept: 0, readBytesKept: 0, segmentBytesMax: 5_000 };

let host: SimHost;
beforeEach(() => {
  host = simHost({ seed: 21 });
});

async function opened() {
  const { files, locks, random, clock } = host;
  const log = unwrap(await openSegmentLog({ files, locks, random, directory, limits }), "open");
  const ledger = await openLedger(log, [vcsFold]);
  return { log, ledger, vcs: openVcs({ ledger, policies: [], clock }) };
}

/** Thirty versions of one file and one of another. */
async function filled() {
  const store = await opened();
  await importFiles(store.vcs, { f: "start\n", g: "g\n" });
  for (let number = 0; number < 30; number += 1) {
    const files = { f: `${"line\n".repeat(50)}${number}\n` };
    unwrap(await store.vcs.commit(request({ by: 1, base: store.vcs.head(), files })), "commit");
  }
  return store;
}

const check = () => fsck({ files: host.files, directory, folds: [vcsFold] });

async function names(pattern: RegExp): Promise<readonly string[]> {
  const entries = unwrap(await host.files.list(segments, 1_000), "list");
  return entries.map(({ name }) => `${segments}/${name}`).filter((path) => pattern.test(path));
}

async function flip(path: string, at: number): Promise<void> {
  const bytes = Buffer.from(unwrap(await host.files.read(path, 1_000_000), "read"));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  unwrap(await host.files.write(path, bytes), "write");
}

test("a store is sound: plain, with a checkpoint, sealed, and collected", async () => {
  const { log, ledger, vcs } = await filled();
  const verdicts = [await check()];
  await ledger.checkpoint();
  verdicts.push(await check());
  await log.seal();
  verdicts.push(await check());
  const collect: typeof log.collect = (keep) => log.collect(keep);
  const collected = await collectGarbage({ ledger, clock: host.clock, collect, keepPositions: 5 });
  verdicts.push(await check());
  const old = unwrap(await vcs.commit(request({ by: 1, base: 3, files: { g: "new\n" } })), "old base");
  expect(verdicts.map((verdict) => verdict.ok && [verdict.value.records, verdict.value.faults])).toEqual([
    [31, []],
    [31, []],
    [31, []],
    [32, []],
  ]);
  expect([collected.ok && [collected.value.keptFrom, collected.value.blobsRemoved], old]).toEqual([
    // Of thirty-one versions of f those of the snapshots from 26 on are kept: six.
    [26, 25],
    {
      kind: "refused",
      policy: "base",
      reason:
        "Snapshot 3 is older than what the store keeps, which begins at 26. Bring the work up to a newer snapshot and commit from there.",
    },
  ]);
});

test("gc keeps everything by default, and what somebody still stands on", async () => {
  const { log, ledger, vcs } = await filled();
  const collect: typeof log.collect = (keep) => log.collect(keep);
  const all = await collectGarbage({ ledger, clock: host.clock, collect, keepPositions: null });
  const oldest = asPosition(10);
  const some = await collectGarbage({
    ledger,
    clock: host.clock,
    collect,
    keepPositions: 0,
    inUse: () => ({ oldest, blobs: [] }),
  });
  const read = await vcs.blobs.get([...vcs.manifest(oldest).values()].map(({ blob }) => blob));
  expect([all.ok && all.value.blobsRemoved, some.ok && some.value.keptFrom, read.length]).toEqual([0, 10, 2]);
});

test("a flipped byte in the middle of a plain segment is named with file, byte and position", async () => {
  const { log } = await filled();
  await log.close();
  const [first = ""] = await names(/\.segment$/);
  await flip(first, 1_000);
  const verdict = unwrap(await check(), "fsck");
  expect(verdict.faults[0]).toEqual({
    file: first,
    offset: expect.any(Number),
    position: expect.any(Number),
    message: "a frame does not match its checksum",
  });
  const { offset = 0 } = verdict.faults[0] ?? {};
  expect([offset <= 1_000, offset > 64]).toEqual([true, true]);
  // Without a checkpoint the opening reads it, and refuses.
  const { files, locks, random } = host;
  expect(await openSegmentLog({ files, locks, random, directory, limits })).toMatchObject({
    ok: false,
    error: { kind: "damaged", file: first, offset },
  });
});

test("flipped bytes in sealed segments are all found, one behind another", async () => {
  const { log, ledger } = await filled();
  await log.seal();
  await ledger.checkpoint();
  await log.close();
  const [events = ""] = await names(/\.events$/);
  const blobs = await names(/\.blobs$/);
  const [second = ""] = blobs.slice(1);
  await flip(events, 200);
  await flip(second, 80);
  const verdict = unwrap(await check(), "fsck");
  const found = verdict.faults.map(({ file, message }) => [file, message]);
  expect(found).toContainEqual([events, "a frame does not match its checksum"]);
  expect(found).toContainEqual([second, "a block of blobs does not match its checksum"]);
});

test("a checkpoint that says something else than the records is a fault", async () => {
  const { log, ledger } = await filled();
  const parts = [...(vcsFold.codec?.save(ledger.state(vcsFold)) ?? [])].map((part) => part.slice());
  const other = Buffer.from(parts.at(-1) ?? []);
  // The last column holds the answers' positions: one of them is made another.
  other.writeDoubleLE(7, 8);
  const images = [{ name: vcsFold.name, version: vcsFold.version, parts: [...parts.slice(0, -1), other] }];
  unwrap(await log.checkpoint(images), "checkpoint");
  await log.close();
  const verdict = unwrap(await check(), "fsck");
  expect(verdict.faults).toEqual([
    {
      file: directory,
      offset: 0,
      position: 31,
      message: 'the checkpoint at 31 gives another state of "vcs" than the records do',
    },
  ]);
});

test("an unfinished write at the end is no fault, and said", async () => {
  const { log } = await filled();
  await log.close();
  const last = (await names(/\.segment$/)).at(-1) ?? "";
  const handle = unwrap(await host.files.open(last, "append"), "open");
  await handle.append([Buffer.from("half a frame")]);
  await handle.close();
  const verdict = unwrap(await check(), "fsck");
  expect([verdict.faults, verdict.notes]).toEqual([[], [expect.stringContaining("unfinished write of 12 bytes")]]);
});

test("a store without its segments, or without the newest of them, is no sound store", async () => {
  const { log } = await filled();
  await log.close();
  const paths = await names(/\.segment$/);
  unwrap(await host.files.remove(paths.at(-1) ?? ""), "remove");
  const lastGone = unwrap(await check(), "fsck");
  for (const path of paths) unwrap(await host.files.remove(path), "remove");
  const allGone = unwrap(await check(), "fsck");
  const missing = (number: number) => `segment ${number} is missing: log.json says that there are ${paths.length}`;
  expect([lastGone.faults, allGone.faults].map((faults) => faults.map(({ message }) => message))).toEqual([
    [missing(paths.length - 1)],
    paths.map((_, number) => missing(number)),
  ]);
});

test("an end that is gone is told by the checkpoint that was written there", async () => {
  const { log, ledger } = await filled();
  await ledger.checkpoint();
  const last = (await names(/\.segment$/)).at(-1) ?? "";
  const position = log.end;
  await log.close();
  const handle = unwrap(await host.files.open(last, "append"), "open");
  // The header and nothing else: as if none of its frames had been written.
  unwrap(await handle.truncate(64), "truncate");
  await handle.close();
  const { files, locks, random } = host;
  const [verdict, reopened] = [await check(), await openSegmentLog({ files, locks, random, directory, limits })];
  const error = {
    file: last,
    offset: 64,
    message: expect.stringContaining(`shows that it reached position ${position}`),
  };
  expect([verdict.ok && verdict.value.faults, reopened]).toMatchObject([[error], { ok: false, error }]);
});

test("bytes behind a sealed file's own are a fault, files of other names are named", async () => {
  const { log } = await filled();
  await log.seal();
  await log.close();
  const [blobs = ""] = await names(/\.blobs$/);
  const bytes = unwrap(await host.files.read(blobs, 1_000_000), "read");
  unwrap(await host.files.write(`${segments}/notes.txt`, bytes), "write");
  // Its own bytes again: header, blocks, directory and trailer are all where they are looked for.
  unwrap(await host.files.write(blobs, Buffer.concat([bytes, bytes])), "write");
  const { faults, notes } = unwrap(await check(), "fsck");
  const message = expect.stringMatching(/^[1-9]\d* bytes between the last block and the directory$/);
  expect([faults, notes]).toEqual([
    [{ file: blobs, offset: expect.any(Number), position: 0, message }],
    [`${segments}/notes.txt is no file of the log`],
  ]);
});
