// Crashes at random moments under many seeds: every acknowledged batch is there again, none in part, positions dense.

import { expect, test } from "vitest";
import type { BlobId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { readAll, record, storedRecord } from "../../testing/contract/log-under-test.ts";
import { type LogStore, logStore } from "../../testing/log/log-store.ts";
import { rounds } from "../../testing/rounds.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import { type SeededRandom, seededRandom } from "../../testing/sim/random.ts";
import { blobIdOf } from "../blob-id.ts";
import type { Batch, Log } from "../log.ts";

const seedCount = rounds(70, 200);
const livesOfASeed = 4;
/** For a busy machine; alone it takes a few seconds. */
const timeoutMsMax = 120_000;
const limits = { segmentBytesMax: 1500, groupBytesMax: 1000, chunkBytes: 200 };

interface Sent {
  readonly batch: Batch;
  answer: "none" | "acknowledged" | "refused";
}

/** What the test knows: batches that must be there, then those sent since, in order. */
interface Model {
  readonly settled: Batch[];
  sent: Sent[];
}

const seen = {
  frameTails: 0,
  fileTails: 0,
  unansweredKept: 0,
  unansweredLost: 0,
  acknowledged: 0,
  refused: 0,
  segmentsMax: 0,
};

test(`${seedCount} seeds of ${livesOfASeed} lives each`, { timeout: timeoutMsMax }, async () => {
  for (let seed = 0; seed < seedCount; seed += 1) await liveAndDie(seed);
  // The scenarios are worth something only if each kind of ending occurred.
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});

async function liveAndDie(seed: number): Promise<void> {
  const random = seededRandom(seed, "crash test");
  let host = simHost({ seed, flushMsMax: seed % 2 === 0 ? 4 : 0 });
  const model: Model = { settled: [], sent: [] };
  for (let life = 0; life < livesOfASeed; life += 1) {
    const work = oneLife(host, model, random, `seed ${seed}, life ${life}`);
    await host.run(Promise.race([work, momentOfDeath(host, random)]));
    host.disk.clearFaults();
    const next = random.integer(4) === 0 ? host.newProcess() : host.powerLoss();
    host.kill();
    host = next;
  }
  await host.run(verify(logStore(host, "/state/log"), model, `seed ${seed}, end`));
}

async function momentOfDeath(host: SimHost, random: SeededRandom): Promise<void> {
  if (random.integer(2) === 0) await host.clock.sleep(random.unit() * 60);
  for (let turns = random.integer(1500); turns > 0; turns -= 1) await undefined;
}

async function oneLife(host: SimHost, model: Model, random: SeededRandom, where: string): Promise<void> {
  const log = await verify(logStore(host, "/state/log"), model, where);
  if (random.integer(4) === 0) armFault(host, random);
  const waiting: Promise<void>[] = [];
  for (let rounds = random.integer(30); rounds > 0; rounds -= 1) {
    for (let together = 1 + random.integer(4); together > 0; together -= 1) waiting.push(send(log, model, random));
    if (random.integer(3) > 0) await Promise.all(waiting);
  }
  await Promise.all(waiting);
  if (random.integer(2) === 0) await log.close();
}

function armFault(host: SimHost, random: SeededRandom): void {
  const code = random.integer(2) === 0 ? "no-space" : "io";
  const path = (name: string): boolean => name.endsWith(".segment");
  if (random.integer(2) === 0) host.disk.failNext({ op: "sync", code, path });
  else host.disk.failNext({ op: "append", code, path, afterBytes: random.integer(400) });
}

async function send(log: Log, model: Model, random: SeededRandom): Promise<void> {
  const sent: Sent = { batch: randomBatch(random), answer: "none" };
  const before = log.end;
  const promise = log.append(sent.batch, before);
  model.sent.push(sent);
  const answer = await promise;
  sent.answer = answer.ok ? "acknowledged" : "refused";
  if (answer.ok) expect(answer.value).toBe(before + sent.batch.records.length);
  else expect(["no-space", "stopped"]).toContain(answer.error.kind);
}

function randomBatch(random: SeededRandom): Batch {
  const records = Array.from({ length: random.integer(4) }, () => record(random.letters(8).repeat(random.integer(25))));
  const blobs = Array.from({ length: random.integer(3) }, () => {
    // Every fourth is one of a few that come again and again.
    const text =
      random.integer(4) === 0 ? `again ${random.integer(5)}` : random.letters(8).repeat(1 + random.integer(35));
    const bytes = new TextEncoder().encode(text);
    return { id: blobIdOf(bytes, "sha1"), bytes };
  });
  return { records, blobs };
}

/** Opens the log, checks it against the model, and settles the model on what was found. */
async function verify(store: LogStore, model: Model, where: string): Promise<Log> {
  const looked = await lookedAt(store);
  const log = unwrap(await store.open(limits), where);
  expect([where, looked]).toEqual([where, log.end]);
  const found = await readAll(log);
  const kept = survivors(log, model, found.length);
  const batches = [...model.settled, ...model.sent.slice(0, kept).map(({ batch }) => batch)];
  const expected = batches.flatMap((batch) => batch.records).map(({ data }, index) => storedRecord(index, data));
  expect([where, log.end, log.durable, found]).toEqual([where, expected.length, expected.length, expected]);
  const present = new Map(batches.flatMap((batch) => batch.blobs).map(({ id, bytes }) => [id, bytes]));
  expect([where, await missingBlobs(log, present)]).toEqual([where, []]);
  for (const { batch } of model.sent.slice(kept)) expectAbsent(log, batch, present, where);
  const answers = model.sent.map(({ answer }, index) => ({ answer, isKept: index < kept }));
  const wrong = answers.filter(
    ({ answer, isKept }) => (answer === "acknowledged" && !isKept) || (answer === "refused" && isKept),
  );
  expect([where, wrong]).toEqual([where, []]);
  await count(store, answers, log.tornTail?.kind ?? null);
  model.settled.splice(0, model.settled.length, ...batches);
  model.sent = [];
  return log;
}

/** Where a reader that comes before the writer finds the log's end. */
async function lookedAt(store: LogStore): Promise<number> {
  const reader = await store.openReader(limits);
  if (reader.ok) {
    await reader.value.close();
    return reader.value.end;
  }
  expect(reader.error).toEqual({ kind: "io", code: "not-found", message: expect.stringContaining("not-found") });
  return 0;
}

/** How many of the batches sent are there, going by the number of records and by the blobs. */
function survivors(log: Log, model: Model, foundRecords: number): number {
  let end = model.settled.flatMap((batch) => batch.records).length;
  let kept = 0;
  for (const { batch, answer } of model.sent) {
    end += batch.records.length;
    const isThere = end <= foundRecords && batch.blobs.every(({ id }) => log.hasBlob(id));
    // A batch that brought nothing new cannot be told from one that is not there; its answer decides.
    if (!isThere || answer === "refused") break;
    kept += 1;
  }
  return kept;
}

async function missingBlobs(log: Log, present: ReadonlyMap<BlobId, Uint8Array>): Promise<readonly BlobId[]> {
  const missing: BlobId[] = [];
  for (const [id, bytes] of present) {
    const blob = await log.blob(id);
    if (!blob.ok || Buffer.compare(blob.value, bytes) !== 0) missing.push(id);
  }
  return missing;
}

function expectAbsent(log: Log, batch: Batch, present: ReadonlyMap<BlobId, Uint8Array>, where: string): void {
  const there = batch.blobs.filter(({ id }) => !present.has(id) && log.hasBlob(id));
  expect([where, there]).toEqual([where, []]);
}

async function count(
  store: LogStore,
  answers: readonly { readonly answer: Sent["answer"]; readonly isKept: boolean }[],
  tail: "frame" | "file" | null,
): Promise<void> {
  if (tail === "frame") seen.frameTails += 1;
  if (tail === "file") seen.fileTails += 1;
  for (const { answer, isKept } of answers) {
    if (answer === "acknowledged") seen.acknowledged += 1;
    if (answer === "refused") seen.refused += 1;
    if (answer === "none" && isKept) seen.unansweredKept += 1;
    if (answer === "none" && !isKept) seen.unansweredLost += 1;
  }
  seen.segmentsMax = Math.max(seen.segmentsMax, (await store.snapshot()).size);
}
