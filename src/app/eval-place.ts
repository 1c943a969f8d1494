// Where suites and results are: suites by name below `evals/` of the directory one is in or of the package, or by path; what a measuring
// program is given of the environment.

import { dirname, join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { EvalsError } from "../evals/error.ts";
import type { SlotHost } from "../evals/run-slot.ts";
import { loadSuite, type Suite, suiteFileName } from "../evals/suite.ts";
import { sandboxVariable } from "./approval-settings.ts";
import { PROVIDER_KINDS, PROVIDERS } from "./provider-kinds.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

const suitesDirectory = "evals";
const suitesMax = 1_000;

export async function findSuite(surroundings: Surroundings, name: string): Promise<Result<Suite, EvalsError>> {
  const { host, cwd } = surroundings;
  const places = [resolve(cwd, name), ...suitePlaces(surroundings).map((place) => join(place, name))];
  for (const place of places)
    if ((await host.files.stat(join(place, suiteFileName))).ok) return loadSuite(host.files, place);
  return err({ kind: "eval-no-suite", name, looked: [...new Set(places)] });
}

export interface ListedSuite {
  readonly directory: string;
  /** Null where its file cannot be read, for which `problem` says why. */
  readonly suite: Suite | null;
  readonly problem: EvalsError | null;
}

export async function listSuites(surroundings: Surroundings): Promise<readonly ListedSuite[]> {
  const { files } = surroundings.host;
  const found: ListedSuite[] = [];
  for (const place of suitePlaces(surroundings)) {
    const entries = await files.list(place, suitesMax);
    for (const { name, kind } of entries.ok ? entries.value : []) {
      const directory = join(place, name);
      if (kind !== "directory" || !(await files.stat(join(directory, suiteFileName))).ok) continue;
      const suite = await loadSuite(files, directory);
      found.push({ directory, suite: suite.ok ? suite.value : null, problem: suite.ok ? null : suite.error });
    }
  }
  return found;
}

/** Keys and addresses are passed on; home and state directory are each run's own. */
export function slotHost({ host, env, nodePath, workerHost, packageRoot }: Surroundings): SlotHost {
  const [worker = join(packageRoot, "dist", "worker-host.js")] = workerHost.slice(-1);
  const program = worker.replace(/worker-host(\.[jt]s)$/, "skein$1");
  const { HOME: _home, TMPDIR: _temporary, ...shell } = shellEnvironment(env);
  const names = PROVIDER_KINDS.flatMap((kind) => [
    ...PROVIDERS[kind].keyVariables,
    PROVIDERS[kind].baseUrlVariable ?? [],
  ])
    .flat()
    .concat(passedVariables);
  const passed = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { files, processes, clock } = host;
  const commandEnv = { PATH: shell.PATH ?? "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  return {
    commandEnv,
    files,
    processes,
    clock,
    program: [nodePath, program],
    env: { ...shell, ...Object.fromEntries(passed) },
  };
}

const passedVariables = [
  sandboxVariable,
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
];

export async function packageVersion({ host, packageRoot }: Surroundings): Promise<string> {
  const bytes = await host.files.read(join(packageRoot, "package.json"), 1024 * 1024);
  const version: unknown = bytes.ok
    ? Reflect.get(JSON.parse(Buffer.from(bytes.value).toString("utf8")), "version")
    : null;
  return typeof version === "string" ? version : "unknown";
}

function suitePlaces({ cwd, packageRoot }: Surroundings): readonly string[] {
  return [...new Set([join(cwd, suitesDirectory), join(packageRoot, suitesDirectory)])];
}

/** Made where it is missing, with its parents. */
export async function makeResultsPlace({ host }: Surroundings, directory: string): Promise<Result<void, EvalsError>> {
  const parent = await host.files.makeDirectory(dirname(directory));
  if (!parent.ok) return parent;
  const made = await host.files.makeDirectory(directory);
  return made.ok ? ok(undefined) : made;
}
