// `npm run bench:memory`: what the merged view, a search and a session's start over 1,000 sessions with 20 notes each take beyond a bare start of
// Node, each paired with one in the same round: medians of the time, means of the processor's. `--beside <dist>` measures another build in the
// same rounds. The notes are made as text here, and each answer is checked against what was made.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { HOOK_NODE_FLAGS } from "../src/clients/launcher-text.ts";
import { repositoryKey } from "../src/sessions/presence/ids.ts";

const root = dirname(import.meta.dirname);
const json = process.argv.includes("--json");
const rounds = Number(after("--rounds") ?? 21);
const beside = after("--beside");
const [sessions, notesOfSession] = [1_000, 20];
/** A little longer than a file must stand before it is indexed. */
const settledMs = 2_500;
const bareNode = { args: () => ["-e", ""], input: "", wanted: /^$/ };
/** Of the processor's time in /proc. */
const msOfTick = 10;

interface Build {
  readonly name: string;
  readonly dist: string;
  readonly env: Readonly<Record<string, string>>;
  readonly index: string;
}

interface Case {
  readonly name: string;
  /** Milliseconds more than bare Node that it may take. */
  readonly limitMs: number;
  readonly args: (dist: string) => readonly string[];
  readonly input: string;
  readonly wanted: RegExp;
  readonly cold: boolean;
}

interface Took {
  readonly tookMs: number;
  /** Of both kinds, of the process and its children; null where the system does not say. */
  readonly cpuMs: number | null;
}

const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "skein-bench-"));
try {
  const cwd = join(place, "repository");
  mkdirSync(cwd);
  const builds = [join(root, "dist"), ...(beside === null ? [] : [resolve(beside)])].map((dist, index): Build => {
    if (!existsSync(join(dist, "skein.cjs"))) throw new Error(`${dist}/skein.cjs is missing: npm run build makes it`);
    const state = join(place, `state-${index}`);
    const memory = join(state, "memory", repositoryKey(join(cwd, ".git")));
    makeNotes(memory);
    const env = { PATH: process.env.PATH ?? "", HOME: place, SKEIN_STATE_DIR: state };
    return { name: index === 0 ? "" : "beside: ", dist, env, index: join(memory, ".index") };
  });
  spawnSync("git", ["init", "-q", "--initial-branch=main", cwd], { env: builds[0]?.env });
  // Files that were written a moment ago are not indexed.
  await setTimeout(settledMs);
  const cases = casesIn(cwd);
  const samples = builds.flatMap((build) =>
    cases.map((one) => ({ build, one, bare: [] as Took[], own: [] as Took[] })),
  );
  const unsure = new Set(builds);
  for (let round = -1; round < rounds; round++)
    for (const { build, one, bare, own } of samples) {
      if (one.cold) rmSync(build.index, { force: true });
      // A start without an index leaves a part of one.
      else if (unsure.delete(build)) start(build, one, cwd);
      if (one.cold) unsure.add(build);
      const [bareTook, ownTook] = [start(build, bareNode, cwd), start(build, one, cwd)];
      // The first round only warms the disk's cache.
      if (round < 0) continue;
      bare.push(bareTook);
      own.push(ownTook);
    }
  const results = samples.map(({ build, one: { name, limitMs }, bare, own }) => {
    const moreMs = median(own.map(({ tookMs }, index) => tookMs - (bare[index]?.tookMs ?? 0)));
    const [bareCpuMs, ownCpuMs] = [mean(bare.map(({ cpuMs }) => cpuMs)), mean(own.map(({ cpuMs }) => cpuMs))];
    const moreCpuMs = bareCpuMs === null || ownCpuMs === null ? null : ownCpuMs - bareCpuMs;
    const bareMs = median(bare.map(({ tookMs }) => tookMs));
    return { name: `${build.name}${name}`, bareMs, moreMs, bareCpuMs, moreCpuMs, limitMs, ok: moreMs <= limitMs };
  });
  if (json) console.log(JSON.stringify({ rounds, node: process.version, load: loadavg()[0], results }));
  else {
    console.log(
      `${sessions} sessions with ${notesOfSession} notes, ${rounds} rounds, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}; ms`,
    );
    console.log(`${"".padEnd(44)}    bare    more   limit        bare CPU  more CPU`);
    for (const { name, bareMs, moreMs, bareCpuMs, moreCpuMs, limitMs, ok } of results)
      console.log(
        `${name.padEnd(44)} ${cell(bareMs)} ${cell(moreMs)} ${cell(limitMs)} ${ok ? "ok    " : "MISSED"} ${cell(bareCpuMs)}   ${cell(moreCpuMs)}`,
      );
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

function casesIn(cwd: string): readonly Case[] {
  const command =
    (...words: readonly string[]) =>
    (dist: string) => [join(dist, "skein.cjs"), "memory", ...words];
  const started = {
    hook_event_name: "SessionStart",
    session_id: "bench",
    cwd,
    transcript_path: "/t",
    source: "startup",
  };
  const hook = {
    // As the launcher starts it.
    args: (dist: string) => [...HOOK_NODE_FLAGS.split(" "), join(dist, "hook.cjs"), "claude-code"],
    input: JSON.stringify(started),
    // The merged view is made at a start.
    limitMs: 100,
  };
  const asked = { input: "", limitMs: 100, cold: false };
  return [
    {
      name: "search",
      ...asked,
      args: command("search", "session777", "note13"),
      wanted: /^2\d{3}.*\n {2}> session777 note13/,
    },
    { name: "search, many hits", ...asked, args: command("search", "parser"), wanted: /19950 older/ },
    {
      name: "merged view",
      ...asked,
      args: command("show"),
      wanted: /from 20000 notes of 1000 sessions[\s\S]*> session0 note19 /,
    },
    { name: "session start", ...hook, cold: false, wanted: /20000 notes of 1000 sessions/ },
    { name: "search without an index", ...asked, cold: true, args: command("search", "parser"), wanted: /19950 older/ },
    { name: "session start without an index", ...hook, cold: true, wanted: /merged notes on branch main/ },
  ];
}

function start(
  { dist, env }: Build,
  { args, input, wanted }: Pick<Case, "args" | "input" | "wanted">,
  cwd: string,
): Took {
  const cpuBefore = childrenCpuMs();
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args(dist), { cwd, env, input, encoding: "utf8" });
  const tookMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args(dist).join(" ")} ended with ${status}: ${stderr}`);
  if (!wanted.test(stdout)) throw new Error(`${args(dist).join(" ")} answered wrongly: ${stdout.slice(0, 2_000)}`);
  const cpuAfter = childrenCpuMs();
  return { tookMs, cpuMs: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore };
}

/** What this process's children have used, those that have ended: proc_pid_stat(5), cutime and cstime. */
function childrenCpuMs(): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * msOfTick;
}

/** As sessions would have left them, each file with its share; long enough ago to count as settled. */
function makeNotes(directory: string): void {
  const kinds = ["scratchpad", "decisions", "questions"] as const;
  for (let session = 0; session < sessions; session++) {
    const own = join(directory, `claude-code_${`${session}`.padStart(8, "0")}-89ab-cdef_0a1b2c3d`);
    mkdirSync(own, { recursive: true });
    const texts = new Map<string, string>();
    for (let note = 0; note < notesOfSession; note++) {
      const at = new Date(Date.UTC(2026, 0, 1) - session * 3_600_000 + note * 60_000).toISOString();
      const kind = kinds[note % kinds.length] ?? "scratchpad";
      const text = `> session${session} note${note} of the parser: comments are tokens, keep the old form until the renderer's tests are moved\n\n`;
      texts.set(kind, `${texts.get(kind) ?? ""}## ${at} branch "main"\n${text}`);
    }
    for (const [kind, text] of texts) writeFileSync(join(own, `${kind}.md`), text);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}

function cell(ms: number | null): string {
  return (ms === null ? "-" : ms.toFixed(1)).padStart(7);
}

function after(flag: string): string | null {
  const at = process.argv.indexOf(flag);
  return at < 0 ? null : (process.argv[at + 1] ?? null);
}
