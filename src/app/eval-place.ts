// Where suites and results are: suites by name below `evals/` of the directory one is in or of the package, or by path; what a measuring
// program is given of the environment.

import { createHash } from "node:crypto";
import { delimiter, dirname, join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { writtenForms } from "../base/secrets.ts";
import type { EvalsError } from "../evals/error.ts";
import type { SlotHost } from "../evals/run-slot.ts";
import { loadSuite, type Suite, suiteFileName } from "../evals/suite.ts";
import type { Sandbox } from "../host/sandbox.ts";
import { sandboxVariable } from "./approval-settings.ts";
import { credentialsIn, keysAround, proxyVariables } from "./known-keys.ts";
import { PROVIDER_KINDS, PROVIDERS } from "./provider-kinds.ts";
import { hiddenVariable, openSandbox } from "./sandbox.ts";
import { type Surroundings, shellEnvironment, variable } from "./surroundings.ts";

/** Of a directory of results, while it is measured into or judged. */
export const lockName = "eval.lock";
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

export interface SlotHostOptions {
  /** Where checks' commands run; null where the person wants none. */
  readonly sandbox: Sandbox | null;
  /** What the agents' commands are not shown: the results, and where runs are made. */
  readonly hidden: readonly string[];
  /** As typed, for `skein run`: an address in them may hold a key. */
  readonly flags: readonly string[];
}

/** Keys and addresses are passed on; home and state directory are each run's own. */
export function slotHost(
  { host, env, nodePath, workerHost, packageRoot }: Surroundings,
  { sandbox, hidden, flags }: SlotHostOptions,
): SlotHost {
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
  const addresses = flags.flatMap((flag) => credentialsIn(flag.replace(/^\w+=/, "")));
  return {
    commandEnv: { PATH: shell.PATH ?? "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
    files,
    processes,
    clock,
    sandbox,
    secrets: writtenForms([...keysAround({ env }), ...addresses]),
    program: [nodePath, program],
    env: { ...shell, ...Object.fromEntries(passed), [hiddenVariable]: hidden.join(delimiter) },
  };
}

const passedVariables = [sandboxVariable, ...proxyVariables, "NODE_EXTRA_CA_CERTS"];

/** For commands that run what a model wrote: nobody can be asked in the middle of a measurement. The error is in words. */
export async function commandSandbox(
  surroundings: Surroundings,
  hidden: readonly string[],
): Promise<Result<Sandbox | null, string>> {
  const off = variable(surroundings.env, sandboxVariable) === "off";
  const mode = { value: off ? "off" : "auto", origin: { kind: "default" } } as const;
  const env = { ...surroundings.env, [hiddenVariable]: hidden.join(delimiter) };
  const settings = { mode, network: false, writable: [] };
  const opened = await openSandbox({ ...surroundings, env }, settings, surroundings.cwd);
  if (opened.kind === "held") return ok(opened.sandbox);
  if (opened.kind === "free") return ok(null);
  return err(
    `commands would run without a sandbox, with your rights: ${opened.reason}; ${sandboxVariable}=off says that they may`,
  );
}

/** The same for the same results, so that a start after a crash clears what is left; the user's alone. */
export async function claimRunsPlace(
  { host, temporaryDirectory }: Surroundings,
  results: string,
): Promise<Result<string, EvalsError>> {
  const { files } = host;
  const real = await files.realPath(results);
  const name = createHash("sha256")
    .update(real.ok ? real.value : results)
    .digest("hex")
    .slice(0, 16);
  const place = join(temporaryDirectory, `skein-eval-${name}`);
  const removed = await files.remove(place);
  if (!removed.ok) return removed;
  const made = await files.claimDirectory(place, { private: true });
  return made.ok ? ok(place) : made;
}

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
