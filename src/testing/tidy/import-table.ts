// Which folder under src may import which: the whole architecture as one table, and the rule that holds it.
// A type-only import counts like any other: the table says who knows whom, not what is loaded.
import { join } from "node:path/posix";
import { type Finding, findingAt, isTest, isTypeScript, type TrackedFile } from "./finding.ts";
import { importsOf } from "./syntax.ts";

/** The folders that reach the outside only through ports, in the order of the table. */
export const DOMAINS = [
  "base",
  "host",
  "protocol",
  "model",
  "log",
  "sessions",
  "clients",
  "vcs",
  "agent",
  "tools",
  "swarm",
  "evals",
  "report",
] as const;

/** Folder → what it may import besides itself. Each adapter is a folder of its own; `adapters` means all of them. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  base: [],
  host: ["base"],
  protocol: ["base", "host"],
  model: ["base", "host"],
  log: ["base", "host"],
  sessions: ["base", "host"],
  clients: ["base", "sessions"],
  vcs: ["base", "host", "log"],
  agent: ["base", "host", "protocol", "model"],
  tools: ["base", "host", "agent"],
  swarm: ["base", "host", "protocol", "model", "log", "sessions", "vcs", "agent", "tools"],
  evals: ["base", "host", "protocol", "log", "vcs", "report"],
  report: ["base", "host", "protocol", "log", "vcs"],
  adapters: DOMAINS,
  app: [...DOMAINS, "adapters", "demo"],
  cli: [...DOMAINS, "app"],
  server: [...DOMAINS, "app"],
  entries: [...DOMAINS, "adapters", "app", "cli", "server", "demo"],
  demo: ["base", "host", "protocol", "model"],
  testing: [...DOMAINS, "adapters", "app", "cli", "server", "entries", "demo"],
};

/** Files that may know less than their folder. The hook starts many times a minute and has a budget of milliseconds. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  "src/entries/hook.ts": ["base", "host", "protocol", "sessions", "clients", "adapters/node"],
};

/** Outside src, the only file that code may read as a module. */
const PACKAGE_FILE = "package.json";

export function importTable(file: TrackedFile): Finding[] {
  if (!isTypeScript(file) || !file.path.startsWith("src/")) return [];
  if (!isTest(file.path)) {
    const folder = topFolder(file.path);
    if (folder === undefined) return [findingAt(file, 0, "code lives in a folder of src, not in src itself")];
    if (TABLE[folder] === undefined) return [findingAt(file, 0, `src/${folder} is not in the import table`)];
  }
  return importsOf(file).flatMap(({ specifier, start }) => {
    if (specifier === undefined || !specifier.startsWith(".")) return [];
    const problem = problemWith(file.path, join(file.path, "..", specifier));
    return problem === undefined ? [] : [findingAt(file, start, problem)];
  });
}

function problemWith(from: string, to: string): string | undefined {
  if (isTest(to)) return `${to} is a test; nothing imports a test`;
  if (isTest(from) || to === PACKAGE_FILE) return undefined;
  if (!to.startsWith("src/")) return `${to} is outside src`;
  const [fromUnit, toUnit] = [unitOf(from), unitOf(to)];
  const allowed = NARROWER[from] ?? TABLE[topFolder(from) ?? ""] ?? [];
  const fits = allowed.includes(toUnit) || allowed.includes(topFolder(to) ?? "");
  if (fits || (fromUnit === toUnit && NARROWER[from] === undefined)) return undefined;
  return `${NARROWER[from] === undefined ? fromUnit : from} may not import ${toUnit}`;
}

/** The folder a row of the table speaks of: `vcs`, `adapters/node`. */
function unitOf(path: string): string {
  const [, top = "", second = ""] = path.split("/");
  return top === "adapters" ? `${top}/${second}` : top;
}

function topFolder(path: string): string | undefined {
  const parts = path.split("/");
  return parts.length > 2 ? parts[1] : undefined;
}
