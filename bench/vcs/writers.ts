// A client process of the benchmark: many writers over one or several connections, each with one commit under way. Started by
// `load.ts`; reads its task as JSON from its argument, prints `ready`, starts at a line on stdin, ends with one line of JSON.

import { once } from "node:events";
import { nodeClock } from "../../src/adapters/node/clock.ts";
import { nodeNet } from "../../src/adapters/node/net.ts";
import { openStoreClient, type StoreClient } from "../../src/adapters/socket/client.ts";
import { asAgentId, asCommitKey, asPosition, asTaskId, type Position, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import type { NewBlob } from "../../src/log/log.ts";
import type { Change } from "../../src/vcs/types.ts";
import { BenchRandom, idOf, pathOf, textOf } from "./random.ts";

export interface WritersTask {
  readonly socket: string;
  readonly seed: number;
  readonly writers: number;
  readonly connections: number;
  readonly seconds: number;
  /** Not measured, at the beginning. */
  readonly warmSeconds: number;
  /** Files of the repository: `src/d<i>/f<j>.txt`, as `stores.ts` makes them. */
  readonly files: number;
  /** This process's share of them, and of how many. */
  readonly share: number;
  readonly shares: number;
  readonly fileBytes: number;
  readonly filesMax: number;
  /** Of 100 commits so many touch a path that every writer may touch. */
  readonly overlapPercent: number;
  /** Each writer begins a commit so often, milliseconds; default: when it has its answer. */
  readonly everyMs?: number;
}

export interface WritersResult {
  readonly commits: number;
  readonly landed: number;
  readonly merged: number;
  readonly conflicts: number;
  readonly refused: number;
  readonly seconds: number;
  /** Of every measured commit, milliseconds, sorted. */
  readonly latencies: readonly number[];
}

/** Paths that all writers share. */
const sharedPaths = 64;

async function run(given: WritersTask): Promise<void> {
  const clients: StoreClient[] = [];
  for (let index = 0; index < given.connections; index += 1) {
    const options = { net: nodeNet, clock: nodeClock, soon: setImmediate, path: given.socket };
    clients.push(unwrap(await openStoreClient(options), "connect"));
  }
  const [first] = clients;
  if (first === undefined) throw new Error("no connection");
  const head = unwrap(await first.head(), "head").position;
  console.log("ready");
  await once(process.stdin, "data");
  const measure = new Measure(given);
  const writers = Array.from({ length: given.writers }, (_, index) =>
    write({ given, measure, head, number: index, client: clients[index % clients.length] ?? first }),
  );
  await Promise.all(writers);
  for (const client of clients) client.close();
  // The pipe may be full: an exit would cut the line.
  process.stdout.write(`${JSON.stringify(measure.result())}\n`, () => process.exit(0));
}

class Measure {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly #latencies: number[] = [];
  readonly counts = { landed: 0, merged: 0, conflicts: 0, refused: 0 };

  constructor({ warmSeconds, seconds }: WritersTask) {
    this.fromMs = performance.now() + warmSeconds * 1_000;
    this.untilMs = this.fromMs + seconds * 1_000;
  }

  take(startMs: number, kind: keyof Measure["counts"]): void {
    const nowMs = performance.now();
    if (nowMs < this.fromMs || nowMs > this.untilMs) return;
    this.counts[kind] += 1;
    this.#latencies.push(nowMs - startMs);
  }

  result(): WritersResult {
    const latencies = this.#latencies.sort((a, b) => a - b).map((ms) => Math.round(ms * 100) / 100);
    return { commits: latencies.length, ...this.counts, seconds: (this.untilMs - this.fromMs) / 1_000, latencies };
  }
}

interface Writer {
  readonly given: WritersTask;
  readonly measure: Measure;
  readonly client: StoreClient;
  readonly number: number;
  readonly head: Position;
}

async function write({ given, measure, client, number, head }: Writer): Promise<void> {
  const { seed, writers, files, share, shares, fileBytes, filesMax, overlapPercent } = given;
  const random = new BenchRandom(seed * 7_919 + number * 104_729 + 1);
  const name = `w${share}-${number}`;
  const own = { first: share * writers + number, step: writers * shares };
  const ownFiles = Math.max(1, Math.floor((files - sharedPaths - own.first) / own.step));
  let base: Position = head;
  const beganMs = performance.now() + ((given.everyMs ?? 0) * random.below(1_000)) / 1_000;
  for (let round = 0; performance.now() < measure.untilMs; round += 1) {
    const stamp = `${name} ${round}`;
    const waitMs = given.everyMs === undefined ? 0 : beganMs + round * given.everyMs - performance.now();
    if (waitMs > 0) await nodeClock.sleep(waitMs);
    const paths = new Set<RepoPath>();
    const wanted = 1 + random.below(filesMax);
    const isShared = random.below(100) < overlapPercent;
    if (isShared) paths.add(pathOf(random.below(sharedPaths)));
    for (let tries = 0; paths.size < wanted && tries < 2 * wanted; tries += 1)
      paths.add(pathOf(sharedPaths + own.first + random.below(ownFiles) * own.step));
    const blobs: NewBlob[] = [];
    const changes: Change[] = [];
    for (const path of paths) {
      const bytes =
        isShared && blobs.length === 0 ? await edited(client, path, base, random) : textOf(fileBytes, random, stamp);
      const blob = { id: idOf(bytes), bytes };
      blobs.push(blob);
      changes.push({ kind: "put", path, blob: blob.id, mode: "100644" });
    }
    const startMs = performance.now();
    const answer = await client.commit({
      key: asCommitKey(`${seed}-${name}-${round}`),
      base,
      author: { agent: asAgentId(name), task: asTaskId(`${name}-${round}`) },
      message: stamp,
      changes,
      blobs,
    });
    const outcome = unwrap(answer, "commit");
    if (outcome.kind === "refused") throw new Error(outcome.reason);
    measure.take(
      startMs,
      outcome.kind === "conflict"
        ? "conflicts"
        : outcome.kind === "landed" && outcome.merged.length > 0
          ? "merged"
          : "landed",
    );
    base = asPosition(Math.max(base, outcome.position));
  }
}

/** The file as the writer's snapshot has it, with one line changed: what meets another's change is merged, or in conflict. */
async function edited(client: StoreClient, path: RepoPath, base: Position, random: BenchRandom): Promise<Buffer> {
  const { entry } = unwrap(await client.entry(path, base), "entry");
  const parts: Uint8Array[] = [];
  if (entry !== null) unwrap(await client.blob(entry.blob, (part) => parts.push(Buffer.from(part))), "blob");
  const content = Buffer.concat(parts);
  if (content.length < 64) return textOf(4_096, random, "shared");
  const line = random.below(Math.floor(content.length / 64));
  content.write(String(random.below(1_000_000_000)).padStart(10, "0"), line * 64, "latin1");
  return content;
}

await run(JSON.parse(process.argv[2] ?? "") as WritersTask);
