// The measures of `npm run bench:vcs`, each on a store of its own, with the disk's raw rate taken beside it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bareRate } from "./bare.ts";
import { fastImport, plumbing, worktrees } from "./git.ts";
import { type LoadResult, underLoad } from "./load.ts";
import { fdatasyncRate, median, rateOf } from "./machine.ts";
import { type ProfileLine, profileLines } from "./profile.ts";
import type { Row } from "./report.ts";
import { sqliteRate } from "./sqlite.ts";
import { addHistory, makeStore } from "./stores.ts";

export interface Plan {
  /** An empty directory on the disk that is measured. */
  readonly directory: string;
  readonly seconds: number;
  /** Not measured, at the beginning of each load: a server that has just started is still compiling itself. */
  readonly warmSeconds: number;
  readonly repetitions: number;
  readonly filesMany: number;
  readonly historyShort: number;
  readonly historyLong: number;
  readonly historyOpened: number;
  onNote(note: string): void;
}

const repositoryFiles = 5_000;
const fileBytes = 4_096;
const smallBytes = 200;
const processes = 4;
const writersEach = 64;
const MIB = 1024 * 1024;
/** Long enough that each of sixteen agents lands several commits. */
const gitSeconds = 12;

interface Shape {
  readonly store: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly filesMax: number;
  readonly overlapPercent: number;
  readonly processes: number;
  readonly writers: number;
  readonly connections: number;
}

const base: Omit<Shape, "store"> = {
  files: repositoryFiles,
  fileBytes,
  filesMax: 3,
  overlapPercent: 0,
  processes,
  writers: writersEach,
  connections: 1,
};

let seeds = 1;

async function loads(plan: Plan, shape: Shape, profile?: string): Promise<readonly LoadResult[]> {
  const results: LoadResult[] = [];
  for (let repetition = 0; repetition < plan.repetitions; repetition += 1) {
    seeds += 1;
    const { store: directory, processes: count, ...task } = shape;
    const { seconds, warmSeconds } = plan;
    const wish = { directory, processes: count, task: { ...task, seed: seeds, seconds, warmSeconds } };
    results.push(await underLoad(profile === undefined ? wish : { ...wish, profile }));
  }
  return results;
}

const perSecond = (results: readonly LoadResult[]) => rateOf(results.map((result) => result.perSecond));

export interface Measured {
  readonly rows: readonly Row[];
  readonly profile: readonly ProfileLine[];
}

/** 256 writers, one writer, and overlap: the main figures, on one store of 5,000 files. */
export async function mainFigures(plan: Plan): Promise<Measured> {
  const store = join(plan.directory, "main");
  await makeStore({ directory: store, files: repositoryFiles, fileBytes });
  plan.onNote("256 writers");
  const many = await loads(plan, { ...base, store });
  const rate = perSecond(many);
  const shape = `${processes} client processes of ${writersEach} writers, one connection each; 1–3 files of 4 KB, 5,000-file repository`;
  plan.onNote("256 connections");
  const apart = await loads(
    { ...plan, repetitions: 1 },
    { ...base, store, processes: 2, writers: 128, connections: 128 },
  );
  plan.onNote("one writer");
  const syncs: number[] = [];
  const shares: number[] = [];
  const bares: number[] = [];
  for (let repetition = 0; repetition < plan.repetitions; repetition += 1) {
    const before = fdatasyncRate(plan.directory, 1).median;
    const [alone] = await loads({ ...plan, repetitions: 1 }, { ...base, store, processes: 1, writers: 1 });
    const sync = (before + fdatasyncRate(plan.directory, 1).median) / 2;
    bares.push(await bareRate(plan.directory, 1));
    syncs.push(sync);
    shares.push(((alone?.perSecond ?? 0) / sync) * 100);
  }
  const one = rateOf(shares);
  plan.onNote("10 % overlap");
  const overlapping = await loads(plan, { ...base, store, overlapPercent: 10 });
  const kept = overlapping.reduce((sum, { conflicts }) => sum + conflicts, 0);
  const merged = overlapping.reduce((sum, result) => sum + result.merged, 0);
  plan.onNote("a profile of the server");
  const profiles = join(plan.directory, "profile");
  await loads({ ...plan, repetitions: 1 }, { ...base, store }, profiles);
  const cpu = rateOf(many.map(({ cpuMicros }) => cpuMicros ?? Number.NaN));
  const latency = rateOf(many.map(({ p99Ms }) => p99Ms));
  const overlapRate = perSecond(overlapping);
  return {
    profile: profileLines(profiles, 12),
    rows: [
      {
        measure: "durable commits/s, 256 writers",
        value: rate.median,
        unit: "/s",
        spread: rate.spread,
        target: { atLeast: 10_000 },
        note: shape,
      },
      {
        measure: "server CPU a commit there",
        value: cpu.median,
        unit: "µs",
        spread: cpu.spread,
        target: { atMost: 75 },
        note: `user and system time of the server's process, all its threads, after ${plan.warmSeconds} s of the same load`,
      },
      {
        measure: "p99 there",
        value: latency.median,
        unit: "ms",
        spread: latency.spread,
        target: { atMost: 60 },
        note: `p50 ${median(many.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms`,
      },
      {
        measure: "the same over 256 connections",
        value: perSecond(apart).median,
        unit: "/s",
        spread: null,
        target: null,
        note: `${(apart[0]?.cpuMicros ?? Number.NaN).toFixed(0)} µs of server CPU a commit: each commit is a read and a write of its own`,
      },
      {
        measure: "one writer, of the disk's fdatasync rate",
        value: one.median,
        unit: "%",
        spread: one.spread,
        target: { atLeast: 60 },
        note: `${Math.round((one.median / 100) * median(syncs))}/s; fdatasync ${Math.round(median(syncs))}/s right before and after; a bare Node process that writes and answers does ${Math.round(median(bares))}/s`,
      },
      {
        measure: "10 % overlapping paths, of the rate without",
        value: (overlapRate.median / rate.median) * 100,
        unit: "%",
        spread: overlapRate.spread,
        target: { atLeast: 80 },
        note: `${Math.round(overlapRate.median)}/s; ${merged} commits merged, ${kept} kept as conflict objects; writers also read the shared files`,
      },
    ],
  };
}

/** Small commits on small and large repositories. */
export async function repositorySizes(plan: Plan): Promise<Row> {
  plan.onNote(`1,000 and ${plan.filesMany.toLocaleString("en-US")} files`);
  const rates: number[] = [];
  for (const files of [1_000, plan.filesMany]) {
    const store = join(plan.directory, `files-${files}`);
    await makeStore({ directory: store, files, fileBytes: smallBytes });
    rates.push(perSecond(await loads(plan, { ...base, store, files, fileBytes: smallBytes, filesMax: 1 })).median);
    rmSync(store, { recursive: true });
  }
  const [small = 1, large = 0] = rates;
  const value = (large / small) * 100;
  const measure = `${plan.filesMany.toLocaleString("en-US")} files, of the rate with 1,000`;
  return {
    measure,
    value,
    unit: "%",
    spread: null,
    target: { atLeast: 75 },
    note: `${Math.round(large)}/s and ${Math.round(small)}/s, one small file a commit`,
  };
}

/** Small commits after a short and a long history, then a still longer one opened anew. */
export async function historyLengths(plan: Plan): Promise<readonly Row[]> {
  const store = join(plan.directory, "history");
  const shape: Shape = { ...base, store, files: 1_000, fileBytes: smallBytes, filesMax: 1 };
  await makeStore({ directory: store, files: shape.files, fileBytes: smallBytes });
  const rates: number[] = [];
  let commits = 0;
  for (const length of [plan.historyShort, plan.historyLong]) {
    plan.onNote(`${length.toLocaleString("en-US")} commits of history`);
    await addHistory(store, length - commits, shape.files, length);
    commits = length;
    // On a copy, so that what is measured does not lengthen it.
    const copy = `${store}-copy`;
    cpSync(store, copy, { recursive: true });
    rates.push(perSecond(await loads(plan, { ...shape, store: copy })).median);
    rmSync(copy, { recursive: true });
  }
  plan.onNote(`${plan.historyOpened.toLocaleString("en-US")} commits opened`);
  await addHistory(store, plan.historyOpened - commits, shape.files, plan.historyOpened);
  const opened = await openedAgain(store);
  const [short = 1, long = 0] = rates;
  const words = (count: number) => count.toLocaleString("en-US");
  return [
    {
      measure: `${words(plan.historyLong)} commits of history, of the rate with ${words(plan.historyShort)}`,
      value: (long / short) * 100,
      unit: "%",
      spread: null,
      target: { atLeast: 75 },
      note: `${Math.round(long)}/s and ${Math.round(short)}/s, one small file a commit`,
    },
    {
      measure: `open after ${words(plan.historyOpened)} small commits`,
      value: opened.seconds,
      unit: "s",
      spread: null,
      target: { atMost: 5 },
      note: `${words(opened.commits)} commits, from a checkpoint`,
    },
    {
      measure: "memory of the process that opened it",
      value: opened.peak / MIB,
      unit: "MiB",
      spread: null,
      target: { atMost: 400 },
      note: "its peak, Node itself included",
    },
  ];
}

interface Opened {
  readonly seconds: number;
  readonly peak: number;
  readonly commits: number;
}

async function openedAgain(store: string): Promise<Opened> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "open.ts"), store], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error("the store could not be opened again");
  return JSON.parse(said) as Opened;
}

export async function alternatives(plan: Plan): Promise<readonly Row[]> {
  const { directory, seconds } = plan;
  const wish = { directory, files: repositoryFiles, fileBytes, seconds: Math.max(seconds, 3) };
  const row = (measure: string, value: number, note: string): Row => ({
    measure,
    value,
    unit: "/s",
    spread: null,
    target: null,
    note,
  });
  plan.onNote("git: 16 worktrees");
  const trees = await worktrees({ ...wish, seconds: gitSeconds });
  plan.onNote("git: plumbing");
  const pipes = await plumbing(wish);
  const stream = await fastImport(wish);
  plan.onNote("SQLite");
  return [
    row("git, 16 worktrees", trees, "commit, then rebase and move main under one lock; not durable"),
    row("git, plumbing", pipes, "hash-object, mktree, commit-tree, update-ref; one after the other, not durable"),
    row("git fast-import", stream, "one stream into one process; durable only at its end"),
    row(
      "SQLite, 256 commits a transaction",
      sqliteRate({ ...wish, group: 256 }),
      "in this process: no socket, no merges; durable",
    ),
    row("SQLite, 1 commit a transaction", sqliteRate({ ...wish, group: 1 }), "the same"),
  ];
}
