// What is kept of a run is for its owner's eyes alone, and JSON says what texts were.

import { execFile } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { bash, giveUp, plan, work, write, writeScript } from "../support/script.ts";
import { bundle, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";

const esc = "\u001b";

/** Under the umask that most people have. */
function usual({ box }: Small, args: readonly string[]): Promise<string> {
  const shell = ["-c", 'umask 022; exec "$@"', "sh", process.execPath, bundle, ...args];
  return new Promise((resolve) => {
    execFile("sh", shell, { cwd: box.root, env: box.env }, (_error, stdout) => resolve(stdout));
  });
}

/** Paths below that others have a right to; what agents' own commands work on is theirs to decide, behind closed doors. */
function open(root: string): readonly string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    if ((stat.mode & 0o077) !== 0) found.push(relative(root, path));
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path)) if (name !== "workspaces") visit(join(path, name));
  };
  visit(root);
  return found;
}

smallTest(
  "a run's directory, recordings, transcripts and long outputs are closed, and open ones are closed again",
  async ({ small }) => {
    const { box, repository, make } = small;
    make();
    // As an earlier version left them.
    const runs = join(box.state, "runs");
    mkdirSync(runs);
    for (const directory of [box.state, runs]) chmodSync(directory, 0o755);
    const model = writeScript(join(box.root, "script.json"), [
      ...plan([{ key: "one" }], giveUp(`cannot${esc}[2J be done\u202e`)),
      ...work("one", [write("one.txt", "one\n"), bash("seq 20000")], giveUp(`no${esc}[1A way`)),
    ]);
    const record = join(box.root, "traffic");
    const goal = `Reach${esc}[31m the goal`;
    const flags = ["--repo", repository, "--model", model, "--record", record, "--json"];
    const stdout = await usual(small, ["swarm", goal, ...flags]);
    expect(stdout).not.toContain(esc);
    const json = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect([json.state, json.reason]).toEqual(["failed", `cannot${esc}[2J be done\u202e`]);
    expect([open(box.state), open(record), readdirSync(record)]).toEqual([[], [], ["traffic-0001.jsonl"]]);
    const [project = ""] = readdirSync(runs);
    const run = join(runs, project, json.runId);
    // Files that agents work on have the rights that a checkout has.
    const files = readdirSync(join(run, "workspaces"), { recursive: true, encoding: "utf8" });
    const made = files.filter((name) => name.endsWith("/a.txt") && !name.includes(".git"));
    const modes = new Set(made.map((name) => lstatSync(join(run, "workspaces", name)).mode & 0o777));
    expect([...modes]).toEqual([0o644]);
    const agents = readdirSync(join(run, "agents"));
    expect(agents.filter((name) => name.endsWith(".outputs"))).toEqual(["a2.outputs"]);

    const status = await skein(box, { args: ["swarm", "status", json.runId, "--json"] });
    const { tasks, ...shown } = JSON.parse(status.stdout);
    expect([shown.goal, shown.reason, tasks[0].title, tasks[1].detail]).toEqual([
      goal,
      json.reason,
      goal,
      `no${esc}[1A way`,
    ]);
    const people = await skein(box, { args: ["swarm", "status", json.runId] });
    expect([status, people].map((ended) => `${ended.stdout}${ended.stderr}`.includes(esc))).toEqual([false, false]);
    const unknown = await skein(box, { args: ["swarm", "status", `no${esc}[2J`, "--json"] });
    expect([JSON.parse(unknown.stdout).error, unknown.stderr.includes(esc)]).toEqual([
      `there is no run no${esc}[2J`,
      false,
    ]);
  },
);
