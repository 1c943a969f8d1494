// npm run bench:harness: `skein run` beside other clients on one fake server and one script (one answer; four reads and an edit; ten children),
// whole processes: wall time, CPU and peak memory; then where Skein's CPU goes, and many children of one process.
// [-- --json] [--install] [--runs 5] [--clients skein,codex] [--tasks one,ten] [--counts 2,5,10,50,100,200 | --no-children] [--delay-ms 2000]

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureChildren } from "./harness/children.ts";
import { CLIENTS, type Client, folderOf, installDirectory } from "./harness/clients.ts";
import { type Bench, type Figures, openBench } from "./harness/measure.ts";
import { profileByOwner } from "./harness/profile.ts";
import { type ClientRow, jsonOf, tableOf } from "./harness/report.ts";
import { TASKS, type Task } from "./harness/script.ts";
import { load } from "./vcs/machine.ts";
import type { ProfileLine } from "./vcs/profile.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    install: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    clients: { type: "string", default: CLIENTS.map(({ name }) => name).join(",") },
    tasks: { type: "string", default: TASKS.join(",") },
    counts: { type: "string", default: "2,5,10,50,100,200" },
    "no-children": { type: "boolean", default: false },
    "delay-ms": { type: "string", default: "2000" },
  },
});

if (values.install) install();
const runs = Number(values.runs);
const clients = CLIENTS.filter(({ name }) => values.clients.split(",").includes(name));
const tasks = TASKS.filter((task) => values.tasks.split(",").includes(task));
const loadBefore = load();
const rows = await measureAll();
const counts = values["no-children"] ? [] : values.counts.split(",").map(Number);
const report = {
  machine: `${cpus().length} cores, node ${process.version}`,
  loadBefore,
  runs,
  clients: rows,
  profile: await profiles(),
  children: await measureChildren(counts, Number(values["delay-ms"])),
};
console.log(values.json ? jsonOf(report) : tableOf(report));

/** One of each in turns, so that what drifts on the machine drifts for all. */
async function measureAll(): Promise<readonly ClientRow[]> {
  using bench = openBench();
  const found: ClientRow[] = [];
  for (const task of tasks) {
    const measured = new Map<Client, { readonly runs: Figures[]; note: string | null }>();
    for (const client of clients) measured.set(client, { runs: [], note: whyNot(client, task) });
    // The first run of each is not counted: it loads what the others find loaded, and makes what it keeps in its home.
    for (let round = 0; round <= runs; round++) {
      for (const [client, into] of measured) {
        if (whyNot(client, task) !== null) continue;
        const one = await bench.run(client, task);
        if (one.kind === "failed") into.note = one.why;
        else if (round > 0) into.runs.push(one.figures);
        progress(`${task} ${client.name} ${round}/${runs}`);
      }
    }
    for (const [{ name }, { runs: figures, note }] of measured) found.push({ client: name, task, runs: figures, note });
  }
  return found;
}

function whyNot({ name, program, install: spec, noChildren }: Client, task: Task): string | null {
  if (program === null)
    return `not installed: npm run bench:harness -- --install puts ${spec} into ${folderOf(name, spec ?? "")}`;
  return task === "ten" ? noChildren : null;
}

async function profiles(): Promise<readonly ProfileLine[]> {
  using bench = openBench();
  const lines: ProfileLine[] = [];
  for (const name of ["skein", "bare loop"]) {
    const client = CLIENTS.find((one) => one.name === name);
    if (client !== undefined) lines.push(...(await profileOf(client, bench)));
  }
  return lines;
}

async function profileOf(client: Client, bench: Bench): Promise<readonly ProfileLine[]> {
  const directory = mkdtempSync(join(tmpdir(), "skein-profile-"));
  try {
    const [node = "", ...rest] = client.program ?? [];
    await bench.run(client, "one");
    const program = [node, "--cpu-prof", "--cpu-prof-interval", "250", "--cpu-prof-dir", directory, ...rest];
    await bench.run({ ...client, program }, "one");
    return profileByOwner(directory, client.name);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Each into a folder of its own, outside the repository, once for each version. */
function install(): void {
  for (const { name, install: spec, program } of CLIENTS) {
    if (spec === null || program !== null) continue;
    const folder = folderOf(name, spec);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}\n');
    console.error(`installing ${spec} into ${installDirectory}…`);
    const ran = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--save-exact", spec], {
      cwd: folder,
      stdio: "inherit",
    });
    if (ran.status !== 0) rmSync(folder, { recursive: true, force: true });
  }
}

function progress(text: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r${text.padEnd(40)}`);
}
