// `npm run bench:memory`: what the merged view and a search over 1,000 sessions with 20 notes each take beyond a bare start of Node, each paired
// with one in the same round, medians. The notes are made as text here, and each answer is checked against what was made.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryKey } from "../src/sessions/presence/ids.ts";

const root = dirname(import.meta.dirname);
const program = join(root, "dist", "skein.js");
const json = process.argv.includes("--json");
const rounds = process.argv.includes("--rounds") ? Number(process.argv[process.argv.indexOf("--rounds") + 1]) : 21;
const [sessions, notesOfSession] = [1_000, 20];
/** Milliseconds more than bare Node that each may take. */
const limitMs = 100;

if (!existsSync(program)) throw new Error(`${program} is missing: npm run build makes it`);
const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "skein-bench-"));
try {
  const cwd = join(place, "repository");
  mkdirSync(cwd);
  const env = { PATH: process.env.PATH ?? "", HOME: place, SKEIN_STATE_DIR: join(place, "state") };
  spawnSync("git", ["init", "-q", "--initial-branch=main", cwd], { env });
  makeNotes(join(place, "state", "memory", repositoryKey(join(cwd, ".git"))));
  const start = (args: readonly string[]): { readonly tookMs: number; readonly stdout: string } => {
    const startedAt = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
    return { tookMs: performance.now() - startedAt, stdout };
  };
  const cases = [
    {
      name: "skein memory search",
      args: [program, "memory", "search", "session777", "note13"],
      wanted: /^2\d{3}.*\n {2}> session777 note13/,
    },
    { name: "skein memory search, many hits", args: [program, "memory", "search", "parser"], wanted: /19950 older/ },
    {
      name: "skein memory show",
      args: [program, "memory", "show"],
      wanted: /from 20000 notes of 1000 sessions[\s\S]*> session0 note19 /,
    },
  ];
  const firstMs = start(cases[0]?.args ?? []).tookMs;
  const samples = cases.map(() => ({ more: [] as number[], bare: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, { name, args, wanted }] of cases.entries()) {
      const bareMs = start(["-e", ""]).tookMs;
      const { tookMs, stdout } = start(args);
      if (!wanted.test(stdout)) throw new Error(`${name} answered wrongly: ${stdout.slice(0, 500)}`);
      samples[index]?.bare.push(bareMs);
      samples[index]?.more.push(tookMs - bareMs);
    }
  const results = cases.map(({ name }, index) => {
    const moreMs = median(samples[index]?.more ?? []);
    return { name, bareMs: median(samples[index]?.bare ?? []), moreMs, limitMs, ok: moreMs <= limitMs };
  });
  if (json) console.log(JSON.stringify({ rounds, node: process.version, firstMs, results }));
  else {
    console.log(
      `${sessions} sessions with ${notesOfSession} notes, ${rounds} rounds, Node ${process.version}; medians in ms`,
    );
    console.log(`first search, without an index: ${firstMs.toFixed(0)}`);
    for (const { name, bareMs, moreMs, ok } of results)
      console.log(
        `${name.padEnd(32)} bare node ${bareMs.toFixed(1)}, more ${moreMs.toFixed(1)}, limit ${limitMs}: ${ok ? "ok" : "MISSED"}`,
      );
  }
} finally {
  rmSync(place, { recursive: true, force: true });
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
