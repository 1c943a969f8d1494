// Tests with real agent clients: brings the pinned clients and an installed skein, then runs test/clients where nothing but this machine can
// be reached. Invariant: the clients are what the lock files in test/clients/packages name, kept outside the repository, each version once.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { npmCi } from "./bootstrap/npm-ci.mjs";
import { runTests, type TestCounts } from "./test-run.ts";

const root = dirname(import.meta.dirname);
const packages = join(root, "test", "clients", "packages");
const advice = "check the network and the npm registry, then run the command again";

/** `clients` are those of Claude Code and Codex, `board` the board's instead of them, `all` the first and those of every other client. */
export type ClientTests = "clients" | "board" | "all";

export async function runClientTests(options: {
  args: readonly string[];
  strict: boolean;
  kind?: ClientTests;
}): Promise<TestCounts> {
  const { kind = "clients" } = options;
  const prefix = mkdtempSync(join(tmpdir(), "skein-installed-"));
  try {
    const clients = await installClients();
    const others = kind === "all" ? await installOthers() : {};
    const skein = installSkein(prefix);
    const env = { SKEIN_CLIENTS: JSON.stringify({ ...clients, others, skein }), SKEIN_CLIENT_TESTS: kind };
    return await runTests({ ...options, full: false, env, prefix: alone() });
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    return { passed: 0, failed: 1, skipped: 0, complaints: [complaint] };
  } finally {
    rmSync(prefix, { recursive: true, force: true });
  }
}

/** Claude Code and Codex: about 750 MB, once for each version. */
async function installClients(): Promise<{ claude: string; codex: string }> {
  const modules = await installed(packages, "");
  return { claude: join(modules, "@anthropic-ai", claudePackage(), "claude"), codex: join(modules, ".bin", "codex") };
}

/** Where a client's command is that is not among npm's. opencode's is the program itself, for Linux on x64 as its lock file says. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = { opencode: ["opencode-linux-x64", "bin"] };

/** Every other client, in a folder with a lock of its own: where its commands are, by its name. 100 to 450 MB each. */
async function installOthers(): Promise<Readonly<Record<string, string>>> {
  const others: Record<string, string> = {};
  for (const { name } of readdirSync(packages, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const modules = await installed(join(packages, name), `${name}-`);
    others[name] = join(modules, ...(PROGRAMS[name] ?? [".bin"]));
  }
  return others;
}

/** The folder with the packages of a lock file; `prefix` tells them from others'. */
async function installed(from: string, prefix: string): Promise<string> {
  const lock = readFileSync(join(from, "package-lock.json"));
  const key = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "skein-test-clients");
  const folder = join(cache, `${prefix}${key}-${process.platform}-${process.arch}`);
  if (!existsSync(folder)) {
    console.log(`installing ${prefix === "" ? "the clients" : prefix.slice(0, -1)} (once)…`);
    mkdirSync(cache, { recursive: true });
    const stage = mkdtempSync(join(cache, ".stage-"));
    try {
      for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(from, name), join(stage, name));
      await npmCi({ node: process.execPath, cwd: stage, what: "the clients could not be installed", advice });
      renameSync(stage, folder);
      // Those of earlier versions are large, and nothing asks for them any more.
      const earlier = new RegExp(`^${prefix}[0-9a-f]{16}-`);
      for (const name of readdirSync(cache)) {
        if (join(cache, name) !== folder && earlier.test(name)) rmSync(join(cache, name), { recursive: true });
      }
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  }
  return join(folder, "node_modules");
}

/** The program itself: the package that names it only fetches it in an install script. */
function claudePackage() {
  const musl =
    process.platform === "linux" &&
    !existsSync("/lib64/ld-linux-x86-64.so.2") &&
    existsSync("/lib/ld-musl-x86_64.so.1");
  return `claude-code-${process.platform}-${process.arch}${musl ? "-musl" : ""}`;
}

/** As people install it: the tarball, globally. */
function installSkein(prefix: string): string {
  const npm = (...args: string[]) => {
    const ran = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    if (ran.status !== 0)
      throw new Error(`npm ${args[0]} failed: ${ran.error?.message ?? ran.stderr.trim()}\n${advice}`);
  };
  npm("pack", "--pack-destination", prefix);
  const tarball = readdirSync(prefix).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  npm("install", "--global", "--prefix", prefix, join(prefix, tarball));
  return join(prefix, "bin", "skein");
}

/** With no network but this machine's own and no process left behind, where bubblewrap can. */
function alone(): readonly string[] {
  const bwrap = [
    "bwrap",
    "--dev-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--unshare-net",
    "--unshare-pid",
    "--die-with-parent",
    "--",
  ];
  const [program = "", ...args] = bwrap;
  if (spawnSync(program, [...args, "true"], { stdio: "ignore" }).status === 0) return bwrap;
  console.log("bubblewrap cannot be used here: the clients are kept from the network by their settings alone");
  return [];
}
