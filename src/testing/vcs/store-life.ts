// One store's lives from one seed: random commits by several tasks at once, checkpoints, sealing, gc, a disk that fails, and a
// death at any moment; after each, what was acknowledged is compared with what is there. What must be there is known from
// the requests and answers alone, not from the store.

import { createHash } from "node:crypto";
import { asAgentId, asCommitKey, asPosition, asTaskId, type BlobId, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { type Ledger, openLedger } from "../../log/ledger.ts";
import { openSegmentLog, type SegmentLog } from "../../log/segments/segment-log.ts";
import { openVcs } from "../../vcs/engine.ts";
import { vcsFold } from "../../vcs/fold.ts";
import { fsck } from "../../vcs/fsck.ts";
import { collectGarbage } from "../../vcs/gc.ts";
import { readVcsRecord } from "../../vcs/records.ts";
import type { CommitOutcome, CommitRequest } from "../../vcs/types.ts";
import type { Vcs } from "../../vcs/vcs.ts";
import { type SimHost, simHost } from "../sim/host.ts";
import { type SeededRandom, seededRandom } from "../sim/random.ts";
import { asPath, imageOf } from "./vcs-rig.ts";

const directory = "/state/store";
const paths = ["a", "b", "c", "d/x", "d/y", "d/z", "e/f/g", "e/f/h"].map(asPath);
const livesOfASeed = 2;
// Reads go to the disk, which is what fails here.
const fromDisk = { writtenBytesKept: 0, readBytesKept: 0 };
const limits = { segmentBytesMax: 1500, groupBytesMax: 1200, chunkBytes: 2048, ...fromDisk };

/** How often each kind of thing happened: a test of seeds is worth something only if all did. */
export interface Seen {
  acknowledged: number;
  refusedByDisk: number;
  unansweredKept: number;
  unansweredLost: number;
  conflicts: number;
  checkpointsUsed: number;
  sealedSegments: number;
  collected: number;
  tornTails: number;
  retried: number;
}

export const nothingSeen = (): Seen => ({
  acknowledged: 0,
  refusedByDisk: 0,
  unansweredKept: 0,
  unansweredLost: 0,
  conflicts: 0,
  checkpointsUsed: 0,
  sealedSegments: 0,
  collected: 0,
  tornTails: 0,
  retried: 0,
});

interface Asked {
  readonly request: CommitRequest;
  answer: "none" | "disk" | CommitOutcome;
}

interface Opened {
  readonly log: SegmentLog;
  readonly ledger: Ledger;
  readonly vcs: Vcs;
}

interface Story {
  readonly random: SeededRandom;
  readonly asked: Asked[];
  readonly contents: Map<BlobId, Buffer>;
  readonly seen: Seen;
  serial: number;
}

/** Throws, naming what is wrong, where anything is. */
export async function liveAndDie(seed: number, seen: Seen): Promise<void> {
  const story: Story = { random: seededRandom(seed, "store"), asked: [], contents: new Map(), seen, serial: 0 };
  const { random } = story;
  let host = simHost({ seed, flushMsMax: seed % 3 === 0 ? 3 : 0, reorders: seed % 2 === 0 });
  for (let life = 0; life < livesOfASeed; life += 1) {
    await host.run(Promise.race([oneLife(host, story), momentOfDeath(host, random)]));
    host.disk.clearFaults();
    const next = random.integer(3) === 0 ? host.newProcess() : host.powerLoss();
    host.kill();
    host = next;
  }
  await host.run(lastLook(host, story));
}

async function momentOfDeath(host: SimHost, random: SeededRandom): Promise<void> {
  if (random.integer(4) === 0) await host.clock.sleep(random.unit() * 30);
  for (let turns = random.integer(700); turns > 0; turns -= 1) await undefined;
}

async function oneLife(host: SimHost, story: Story): Promise<void> {
  const opened = await open(host, story);
  await check(opened, story);
  if (opened.vcs.imported() === null) await importStart(opened.vcs, story);
  const { random } = story;
  if (random.integer(3) === 0) armFault(host, random);
  const working: Promise<unknown>[] = [];
  for (let rounds = 1 + random.integer(5); rounds > 0; rounds -= 1) {
    for (let together = 1 + random.integer(3); together > 0; together -= 1) working.push(commit(opened, story));
    if (random.integer(2) === 0) working.push(lookAfter(host, opened, story));
    if (random.integer(3) > 0) await Promise.all(working.splice(0));
  }
  await Promise.all(working);
  if (random.integer(2) === 0) await opened.log.close();
}

function armFault(host: SimHost, random: SeededRandom): void {
  const code = random.integer(2) === 0 ? "no-space" : "io";
  const ops = ["append", "append", "sync", "sync", "rename", "syncDirectory", "open", "remove", "truncate"] as const;
  const op = ops[random.integer(ops.length)] ?? "sync";
  host.disk.failNext({ op, code, afterBytes: random.integer(400), times: 1 + random.integer(2) });
}

async function open(host: SimHost, { seen }: Story): Promise<Opened> {
  const { files, locks, random } = host;
  const log = unwrap(await openSegmentLog({ files, locks, random, directory, limits }), "open");
  if (log.saved !== null) seen.checkpointsUsed += 1;
  if (log.tornTail !== null) seen.tornTails += 1;
  seen.sealedSegments += log.stats().segments.sealed;
  const ledger = await openLedger(log, [vcsFold]);
  return { log, ledger, vcs: openVcs({ ledger, policies: [], clock: host.clock }) };
}

async function importStart(vcs: Vcs, story: Story): Promise<void> {
  const blob = content(story, "start\n".repeat(3));
  const entries = new Map(paths.slice(0, 3).map((path) => [path, { blob: blob.id, mode: "100644" as const }]));
  const source = { repository: "/r", branch: "main", commit: "0".repeat(40), tree: "1".repeat(40) };
  await vcs.importTree({ source, objectFormat: "sha1", entries, blobs: [[blob]] });
}

async function commit({ vcs }: Opened, story: Story): Promise<void> {
  const { random, asked, seen } = story;
  if (vcs.imported() === null) return;
  const base = asPosition(
    Math.max(Number(vcs.imported()?.position), vcs.head() - (random.integer(3) === 0 ? random.integer(3) : 0)),
  );
  const task = 1 + random.integer(3);
  const chosen = [paths[random.integer(paths.length)], paths[random.integer(paths.length)]];
  const touched = [...new Set(chosen)].filter((path) => path !== undefined);
  const blobs = touched.map(() => content(story, `${random.letters(8).repeat(1 + random.integer(20))}\n`));
  story.serial += 1;
  const one: Asked = {
    request: {
      key: asCommitKey(`key ${story.serial}`),
      base,
      author: { agent: asAgentId(`a${task}`), task: asTaskId(`t${task}`) },
      message: `change ${story.serial}`,
      changes: touched.map((path, index) => put(path, blobs[index]!.id)),
      blobs,
    },
    answer: "none",
  };
  asked.push(one);
  const answer = await vcs.commit(one.request);
  one.answer = answer.ok ? answer.value : "disk";
  if (!answer.ok) seen.refusedByDisk += 1;
  else if (answer.value.kind !== "refused") seen.acknowledged += 1;
  if (answer.ok && answer.value.kind === "conflict") seen.conflicts += 1;
  if (answer.ok && "position" in answer.value && answer.value.position > vcs.head()) {
    throw new Error(`${one.request.key} was told position ${answer.value.position}, which is not durable`);
  }
}

/** Failures are allowed to it: the disk may refuse. */
async function lookAfter(host: SimHost, { log, ledger }: Opened, { random, seen }: Story): Promise<void> {
  switch (random.integer(3)) {
    case 0:
      await ledger.checkpoint();
      return;
    case 1:
      await log.seal();
      return;
    default: {
      const keepPositions = 2 + random.integer(10);
      const collect: SegmentLog["collect"] = (keep) => log.collect(keep);
      const done = await collectGarbage({ ledger, clock: host.clock, collect, keepPositions });
      if (done.ok) seen.collected += done.value.blobsRemoved;
    }
  }
}

/** Everything that was acknowledged is there, whole and in order; of the rest each commit is there whole or not at all. */
async function check({ log, ledger, vcs }: Opened, story: Story): Promise<void> {
  const records = [];
  for await (const record of log.read(asPosition(0))) records.push(record);
  for (const [index, { position }] of records.entries()) {
    if (position !== index) throw new Error(`record ${position} stands at ${index}`);
  }
  if (records.length !== log.end || records.length !== log.durable)
    throw new Error("the log's end is not its last record");
  const fresh = vcsFold.initial();
  for (const record of records) vcsFold.apply(fresh, record);
  if (imageOf(fresh) !== imageOf(ledger.state(vcsFold))) throw new Error("the checkpoint and the records differ");
  const kept = new Map<string, { readonly position: number; readonly changes: CommitRequest["changes"] }>();
  for (const record of records) {
    const own = readVcsRecord(record);
    if (own === null || !("key" in own.data)) continue;
    const changes = "changes" in own.data ? own.data.changes : [];
    if (kept.has(own.data.key)) throw new Error(`${own.data.key} was committed twice`);
    kept.set(own.data.key, { position: record.position + 1, changes });
  }
  for (const one of story.asked) checkOne(one, kept.get(one.request.key) ?? null, story.seen);
  await checkContents(vcs, fresh.keptFrom, story);
  await retryOne(vcs, story);
}

function checkOne(
  one: Asked,
  kept: { readonly position: number; readonly changes: readonly unknown[] } | null,
  seen: Seen,
) {
  const { answer, request } = one;
  if (typeof answer === "object" && answer.kind !== "refused") {
    if (kept?.position !== answer.position) throw new Error(`${request.key} was acknowledged and is not there`);
  } else if (typeof answer === "object" && kept !== null) {
    throw new Error(`${request.key} was refused and is there`);
  }
  if (answer === "none") seen[kept === null ? "unansweredLost" : "unansweredKept"] += 1;
}

/** Every snapshot that is kept has all its contents, byte by byte. */
async function checkContents(vcs: Vcs, keptFrom: number, { contents }: Story): Promise<void> {
  const imported = vcs.imported();
  if (imported === null) return;
  const ids = new Set<BlobId>();
  for (let at = Math.max(keptFrom, imported.position); at <= vcs.head(); at += 1) {
    for (const { blob } of vcs.manifest(asPosition(at)).values()) ids.add(blob);
  }
  for (const conflict of vcs.conflicts()) {
    for (const { changes } of conflict.commits) for (const each of changes) if (each.kind === "put") ids.add(each.blob);
  }
  for (const id of ids) {
    const [bytes] = await vcs.blobs.get([id]);
    const expected = contents.get(id);
    if (bytes === undefined || expected === undefined || !expected.equals(bytes))
      throw new Error(`${id} is not what it was`);
  }
}

/** S7: whoever did not hear the answer asks again, and gets the first one. */
async function retryOne(vcs: Vcs, { asked, random, seen }: Story): Promise<void> {
  if (asked.length === 0) return;
  const one = asked[random.integer(asked.length)]!;
  const again = await vcs.commit(one.request);
  if (!again.ok) {
    if (one.answer !== "none" && one.answer !== "disk") throw new Error(`${one.request.key} was acknowledged once`);
    return;
  }
  if (typeof one.answer === "object" && one.answer.kind !== "refused") {
    const [first, second] = [JSON.stringify(one.answer), JSON.stringify(again.value)];
    if (first !== second) throw new Error(`${one.request.key} was answered ${first}, then ${second}`);
  }
  one.answer = again.value;
  seen.retried += 1;
}

async function lastLook(host: SimHost, story: Story): Promise<void> {
  const opened = await open(host, story);
  await check(opened, story);
  await opened.log.close();
  const report = unwrap(await fsck({ files: host.files, directory, folds: [vcsFold] }), "fsck");
  const [fault] = report.faults;
  if (fault !== undefined) throw new Error(`fsck: ${fault.file} at byte ${fault.offset}: ${fault.message}`);
}

function put(path: RepoPath, blob: BlobId): CommitRequest["changes"][number] {
  return { kind: "put", path, blob, mode: "100644" };
}

function content(story: Story, text: string): { readonly id: BlobId; readonly bytes: Buffer } {
  const bytes = Buffer.from(text);
  // Git's own rule, written out: the store's code is what is under test.
  const hex = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const id = hex as BlobId;
  story.contents.set(id, bytes);
  return { id, bytes };
}
