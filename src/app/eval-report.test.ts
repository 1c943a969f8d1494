// Reports of results that lie on the disk as runs leave them: token sums against the transcripts' own lines, and what is broken, missing or
// cannot be written.

import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { recordOf } from "../evals/measure.ts";
import { readTranscripts } from "../evals/transcript.ts";
import type { Files } from "../host/files.ts";
import { ATIF } from "../testing/evals/atif-schema.ts";
import { madeResults } from "../testing/evals/made-results.ts";
import { type WrittenRun, writeRun } from "../testing/evals/written-run.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { evalReport } from "./eval-report.ts";
import type { Surroundings } from "./surroundings.ts";

function surroundings(cwd: string, files: Files = nodeHost().files): Surroundings {
  return {
    host: { ...nodeHost(), files },
    env: {},
    cwd,
    processId: 1,
    platform: "linux",
    packageRoot: cwd,
    nodePath: "node",
    workerHost: [],
    temporaryDirectory: cwd,
  };
}

/** A parent and up to three children, each of up to five requests, some of which fail and some of whose counts nobody told. */
function randomRun(seed: number, told: boolean): WrittenRun {
  const random = seededRandom(seed, "totals");
  const agents = Array.from({ length: 1 + random.integer(4) }, (_, place) => {
    const turns = Array.from({ length: 1 + random.integer(5) }, (_, turn) => {
      const input = random.integer(100_000);
      const usage = [input, random.integer(input + 1), random.integer(5_000)] as const;
      const failed = random.integer(5) === 0;
      return {
        startMs: 10 * turn,
        endMs: 10 * turn + 5,
        say: `turn ${turn}`,
        usage: told || place + turn > 0 ? usage : (["unavailable", "unavailable", "unavailable"] as const),
        costUsd: random.integer(1_000) / 1_000,
        ...(failed ? { error: "overloaded" } : {}),
      };
    });
    return { id: `a${place}`, parent: place === 0 ? null : "a0", startMs: 0, endMs: 100, turns };
  });
  const delegations = agents.slice(1).map(({ id }) => ({ child: id, call: `c-${id}`, startMs: 1, endMs: 90 }));
  return { agents, delegations };
}

/** As `skein eval run` leaves it, each record made of the transcripts. */
async function writeResults(directory: string, runs: readonly WrittenRun[]): Promise<readonly string[]> {
  const made = madeResults({ directory, runs: runs.map(() => ({ condition: "only" })) });
  writeFileSync(join(directory, "plan.json"), JSON.stringify(made.plan));
  for (const [index, { directory: run, slot, record, verdict }] of made.runs.entries()) {
    mkdirSync(run, { recursive: true });
    writeRun(join(run, "state"), runs[index] ?? { agents: [] });
    const transcripts = await readTranscripts(nodeHost().files, join(run, "state"));
    const { suite, seed, askedModel, flags, skeinVersion, startedAtMs, ending } = record;
    const measured = recordOf({
      ...{ suite, slot, seed, askedModel, flags, skeinVersion, startedAtMs, ending, transcripts },
      processMs: 100,
      wallMs: 100,
      answer: "30909",
      faults: [],
    });
    writeFileSync(join(run, "record.json"), JSON.stringify({ ...measured, models: ["script:made"], scripted: true }));
    writeFileSync(join(run, "verdict.json"), JSON.stringify(verdict));
  }
  return made.runs.map(({ directory: run }) => run);
}

const REQUEST = z.object({
  type: z.literal("request"),
  usage: z.record(z.string(), z.union([z.number(), z.literal("unavailable")])),
});

/** Read off the lines themselves, whatever reads them elsewhere; null for a sum of which a part is not known. */
function sumsOf(run: string): Readonly<Record<"input" | "cached" | "output", number | null>> {
  const paths = readdirSync(run, { recursive: true, encoding: "utf8" }).filter((path) =>
    /agents\/a\d+\.jsonl$/.test(path),
  );
  const lines = paths.flatMap((path) => readFileSync(join(run, path), "utf8").trimEnd().split("\n"));
  const usages = lines
    .map((line) => REQUEST.safeParse(JSON.parse(line)).data?.usage)
    .filter((one) => one !== undefined);
  const sum = (name: string) => {
    const parts = usages.map((usage) => usage[name]);
    return parts.includes("unavailable") ? null : parts.reduce<number>((all, part) => all + Number(part), 0);
  };
  return { input: sum("input_tokens"), cached: sum("cached_tokens"), output: sum("output_tokens") };
}

const TOTALS = z.object({
  final_metrics: z.object({
    total_prompt_tokens: z.number().optional(),
    total_cached_tokens: z.number().optional(),
    total_completion_tokens: z.number().optional(),
  }),
  get subagent_trajectories() {
    return z.array(TOTALS).optional();
  },
});

function totalsOf(trajectory: z.infer<typeof TOTALS>): readonly (readonly (number | undefined)[])[] {
  const {
    total_prompt_tokens: input,
    total_cached_tokens: cached,
    total_completion_tokens: output,
  } = trajectory.final_metrics;
  return [[input, cached, output], ...(trajectory.subagent_trajectories ?? []).flatMap(totalsOf)];
}

test("in 24 runs the report's tokens and the trajectories' are the sums of the transcripts' lines; an unknown part makes no sum", async () => {
  using directory = temporaryDirectory();
  const written = Array.from({ length: 24 }, (_, seed) => randomRun(seed, seed % 8 !== 7));
  const runs = await writeResults(directory.path, written);
  const shown = unwrap(await evalReport(surroundings(directory.path), { directory: ".", out: undefined }), "report");
  const sums = runs.map(sumsOf);
  const known = (name: "input" | "cached" | "output") => sums.flatMap((sum) => sum[name] ?? []);
  const figures = shown.report.tasks[0]?.figures ?? [];
  const shownOf = (name: string) => {
    const group = figures.find((figure) => figure.name === name)?.groups[0];
    return group?.kind === "known" ? [group.values, group.unavailable] : null;
  };
  expect([shownOf("inputTokens"), shownOf("cachedTokens"), shownOf("outputTokens")]).toEqual([
    [known("input"), 3],
    [known("cached"), 3],
    [known("output"), 3],
  ]);
  expect(known("input").length).toBe(21);
  for (const [index, sum] of sums.entries()) {
    const path = join(directory.path, "trajectories", "task", "only", `${String(index + 1).padStart(3, "0")}.json`);
    const trajectory: unknown = JSON.parse(readFileSync(path, "utf8"));
    expect(ATIF.safeParse(trajectory).error?.issues).toBeUndefined();
    const totals = totalsOf(TOTALS.parse(trajectory));
    const all = [0, 1, 2].map((place) =>
      totals.reduce<number | null>((sum, own) => {
        const part = own[place];
        return sum === null || part === undefined ? null : sum + part;
      }, 0),
    );
    expect(all).toEqual([sum.input, sum.cached, sum.output]);
  }
  expect(shown.report.notes).toEqual([]);
});

const told = (input: number): WrittenRun => ({
  agents: [
    { id: "a0", parent: null, startMs: 0, endMs: 9, turns: [{ startMs: 0, endMs: 5, say: "x", usage: [input, 0, 1] }] },
    { id: "a1", parent: "a0", startMs: 1, endMs: 4, turns: [{ startMs: 1, endMs: 3, say: "y", usage: [input, 0, 1] }] },
  ],
  delegations: [{ child: "a1", call: "c", startMs: 1, endMs: 4 }],
});

test("a report of results that are partly broken names what is missing and counts nothing for it", async () => {
  using directory = temporaryDirectory();
  const runs = await writeResults(
    directory.path,
    [1, 2, 3, 4, 5, 6, 7].map((place) => told(10 ** place)),
  );
  const at = (place: number, ...parts: readonly string[]) => join(runs[place] ?? "", ...parts);
  const agents = ["state", "runs", "workspace-0123456789ab", "20261129-230501-ab3d", "agents"];
  appendFileSync(at(0, ...agents, "a0.jsonl"), '{"type":"requ');
  rmSync(at(1, ...agents, "a1.jsonl"));
  rmSync(at(2, "state"), { recursive: true });
  writeFileSync(at(3, "record.json"), readFileSync(at(3, "record.json"), "utf8").slice(0, 300));
  rmSync(at(4, "record.json"));
  writeFileSync(at(5, "verdict.json"), "");
  const { report } = unwrap(
    await evalReport(surroundings(directory.path), { directory: ".", out: undefined }),
    "report",
  );
  const input = report.tasks[0]?.figures.find(({ name }) => name === "inputTokens")?.groups[0];
  const name = (place: number) => `task/only/00${place}`;
  const unread = (text: string): unknown => expect.stringContaining(text);
  expect({
    counted: [report.sources[0]?.runsCounted, report.sources[0]?.runsExcluded, report.sources[0]?.runsMissing],
    values: input?.kind === "known" ? input.values : null,
    notes: report.notes,
    excluded: report.excluded.map(({ repetition, reason }) => [repetition, reason]),
  }).toEqual({
    counted: [4, 1, 1],
    values: [20, 200, 2_000, 2 * 10 ** 7],
    notes: [
      "1 of 7 planned runs were not made yet: skein eval run goes on with them.",
      unread(`${name(4)} cannot be read whole, and is kept: `),
      unread(`${name(6)} cannot be read whole, and is kept: `),
      unread(`${name(3)}: its transcripts cannot be read (no run was recorded); its figures are those of record.json`),
      unread(`${name(1)}: its transcripts are not whole (a0: 1 line cannot be read); its figures`),
      unread(`${name(2)}: its transcripts are not whole (a1 has no transcript); its figures`),
    ],
    excluded: [[6, "not judged"]],
  });
});

test("a run is measured without counting what its transcripts lack: a lost child, a lost parent, an empty file, lost delegations", async () => {
  using directory = temporaryDirectory();
  const state = (name: string) => join(directory.path, name);
  writeRun(state("whole"), told(10));
  const below = join("runs", "workspace-0123456789ab", "20261129-230501-ab3d");
  const damages: Readonly<Record<string, (run: string) => void>> = {
    whole: () => {},
    child: (run) => rmSync(join(run, "agents", "a1.jsonl")),
    parent: (run) => rmSync(join(run, "agents", "a0.jsonl")),
    empty: (run) => writeFileSync(join(run, "agents", "a1.jsonl"), ""),
    delegations: (run) => rmSync(join(run, "delegations.jsonl")),
    torn: (run) => appendFileSync(join(run, "delegations.jsonl"), '{"seq":2'),
  };
  const found: Record<string, readonly string[]> = {};
  for (const [name, damage] of Object.entries(damages)) {
    if (name !== "whole") cpSync(state("whole"), state(name), { recursive: true });
    damage(join(state(name), below));
    found[name] = (await readTranscripts(nodeHost().files, state(name))).damaged;
  }
  expect(found).toEqual({
    whole: [],
    child: ["a1 has no transcript"],
    parent: ["a0 has no transcript"],
    empty: ["the transcript of a1 has no beginning"],
    delegations: ["the delegations are missing"],
    torn: ["delegations: 1 lines cannot be read"],
  });
});

test("the report of results that can only be read is shown, and what is not written is told; where --out cannot be written it is refused", async () => {
  using directory = temporaryDirectory();
  await writeResults(directory.path, [told(10)]);
  const host = nodeHost();
  const refuse = async (path: string) =>
    ({ ok: false, error: { kind: "file", code: "read-only", path, message: "EROFS: read-only file system" } }) as const;
  const files = new Proxy(host.files, {
    get: (target, name) => {
      if (name === "write" || name === "makeDirectory") return refuse;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const before = readdirSync(directory.path);
  const around = surroundings(dirname(directory.path), files);
  const shown = await evalReport(around, { directory: directory.path, out: undefined });
  const refused = await evalReport(around, { directory: directory.path, out: "elsewhere" });
  expect(
    shown.ok && [shown.value.files, shown.value.unwritten?.code, shown.value.trajectories?.unwritten?.code],
  ).toEqual([null, "read-only", "read-only"]);
  expect(shown.ok && shown.value.markdown).toContain("1 run counted, 0 excluded");
  expect([refused.ok || refused.error, readdirSync(directory.path)]).toEqual([
    expect.objectContaining({ code: "read-only" }),
    before,
  ]);
});
