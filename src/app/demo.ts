// The demo: a small real project in a fresh git repository, grown by a swarm whose model is a script. The run itself is `runSwarm`, as for anybody's repository.

import { dirname, join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import { type Git, type GitError, runGit } from "../vcs/git/command.ts";
import { runsDirectory } from "./state-directory.ts";
import { type Surroundings, variable } from "./surroundings.ts";
import { checkOptions, runSwarm } from "./swarm.ts";
import type { SwarmError, SwarmResult, SwarmWatcher } from "./swarm-types.ts";

export interface DemoOptions {
  readonly workers: number;
  /** Where the project is made; must not exist. Null takes a fresh temporary directory. */
  readonly directory: string | null;
}

export type DemoError =
  | SwarmError
  | { readonly kind: "demo"; readonly message: string }
  /** Something is there already. */
  | { readonly kind: "demo-directory"; readonly path: string };

const goal = "Build calc as SPEC.md describes it, so that its whole test suite passes.";
/** The project's own test command. */
const check = "node --test";
const fileBytesMax = 1024 * 1024;
const entriesMax = 1_000;

export async function runDemo(
  surroundings: Surroundings,
  options: DemoOptions,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, DemoError>> {
  const { host, temporaryDirectory, nodePath } = surroundings;
  // The project's tests run on the Node that runs this program, whatever else is on the PATH.
  const path = `${dirname(nodePath)}:${variable(surroundings.env, "PATH") ?? "/usr/bin:/bin"}`;
  const own: Surroundings = { ...surroundings, env: { ...surroundings.env, PATH: path } };
  const known = await checkOptions(surroundings, { goal, workers: options.workers, requests: undefined });
  if (!known.ok) return known;
  const repository = options.directory ?? join(temporaryDirectory, `skein-demo-${host.random.letters(8)}`);
  if ((await host.files.stat(repository)).ok) return err({ kind: "demo-directory", path: repository });
  // Found before a project is made for a run that cannot be kept.
  const runs = runsDirectory(surroundings);
  const kept = runs.ok ? await host.files.makeDirectory(runs.value, { private: true }) : runs;
  if (!kept.ok) return kept;
  const claimed = await host.files.claimDirectory(repository);
  if (!claimed.ok) return err(demoError(`${repository} cannot be made`, claimed.error));
  let began = false;
  const onStart: SwarmWatcher["onStart"] = (start) => {
    began = true;
    watcher.onStart(start);
  };
  const result = await makeAndRun(own, { repository, workers: options.workers }, { ...watcher, onStart });
  // Of a demo that did not begin nothing stays.
  if (!began) await host.files.remove(repository);
  return result;
}

async function makeAndRun(
  surroundings: Surroundings,
  { repository, workers }: { readonly repository: string; readonly workers: number },
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, DemoError>> {
  const assets = join(surroundings.packageRoot, "assets", "demo");
  const made = await fillRepository(surroundings, join(assets, "project"), repository);
  if (!made.ok) return made;
  const script = `script:${join(assets, "script.yaml")}`;
  const flags = { model: script, workers, check };
  return runSwarm(surroundings, { goal, repository, flags, configFiles: false }, watcher);
}

async function fillRepository(
  surroundings: Surroundings,
  project: string,
  repository: string,
): Promise<Result<void, DemoError>> {
  const { files, processes } = surroundings.host;
  const copied = await copyTree(files, project, repository);
  if (!copied.ok) return err(demoError("the demo's project cannot be copied", copied.error));
  const git: Git = { processes, path: surroundings.env.PATH ?? "" };
  const steps: readonly (readonly [string, ...string[]])[] = [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "calc: specification, tests and skeleton"],
  ];
  for (const args of steps) {
    const done = await runGit(git, { cwd: repository, args });
    if (!done.ok) return err(demoError("the demo's repository cannot be made", done.error));
  }
  return ok(undefined);
}

async function copyTree(files: Files, from: string, to: string): Promise<Result<void, FileError>> {
  const entries = await files.list(from, entriesMax);
  if (!entries.ok) return entries;
  for (const { name, kind } of entries.value) {
    const [source, target] = [join(from, name), join(to, name)];
    const step =
      kind === "directory" ? await copyDirectory(files, source, target) : await copyFile(files, source, target);
    if (!step.ok) return step;
  }
  return ok(undefined);
}

async function copyDirectory(files: Files, from: string, to: string): Promise<Result<void, FileError>> {
  const made = await files.makeDirectory(to);
  return made.ok ? copyTree(files, from, to) : made;
}

async function copyFile(files: Files, from: string, to: string): Promise<Result<void, FileError>> {
  const stat = await files.stat(from);
  if (!stat.ok) return stat;
  const bytes = await files.read(from, fileBytesMax);
  return bytes.ok ? files.write(to, bytes.value, { executable: stat.value.executable }) : bytes;
}

function demoError(what: string, cause: FileError | GitError): DemoError {
  const why = cause.kind === "file" ? cause.message : cause.stderr;
  return { kind: "demo", message: `${what}: ${why}` };
}
