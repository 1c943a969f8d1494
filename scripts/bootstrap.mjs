// Runs one command of this repository with the right Node and the locked packages, installing either when it is missing.
// Usage: node scripts/bootstrap.mjs [--build] [--init-cwd] <command> [args...]
// Plain JavaScript for any Node >= 18, with no packages, because it runs before there are any.
import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleIsCurrent } from "./bootstrap/bundle-stamp.mjs";
import { packagesAreCurrent } from "./bootstrap/packages.mjs";
import { nodeInUse } from "./bootstrap/toolchain.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { flags, command, args } = parse(process.argv.slice(2));

try {
  const node = await prepare();
  const env = { ...process.env, PATH: searchPath(node) };
  if (flags.has("--build") && !bundleIsCurrent(root)) buildBundle(node, env);
  run(node, env);
} catch (error) {
  if (error?.name !== "SetupError") throw error;
  process.stderr.write(`skein: ${error.message}\n`);
  process.exit(1);
}

/** Returns the path of a Node >= 24; by then the packages of the lock file are in place. */
async function prepare() {
  const found = nodeInUse(root);
  if (found !== undefined && packagesAreCurrent(root)) return found;
  // Only this slow path pays for loading the installer.
  const { install } = await import("./bootstrap/install.mjs");
  await install(root);
  return nodeInUse(root);
}

function run(node, env) {
  const cwd = flags.has("--init-cwd") ? (process.env.INIT_CWD ?? process.cwd()) : root;
  const [file, ...rest] = resolveCommand(node);
  const shell = process.platform === "win32" && file !== node;
  const child = spawn(file, [...rest, ...args], { cwd, env, stdio: "inherit", shell });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal gives Ctrl-C to the whole group: forwarded as well, the child would count it twice.
      const byTerminal = signal === "SIGINT" && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY);
      if (!byTerminal) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    const missing = error.code === "ENOENT";
    process.stderr.write(`skein: cannot start ${command}: ${missing ? "command not found" : error.message}\n`);
    process.exit(missing ? 127 : 126);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}

/** `skein` stands for the bundle, by absolute path because --init-cwd changes the directory. */
function resolveCommand(node) {
  if (command === "skein") return [node, join(root, "dist", "skein.cjs")];
  return [command === "node" ? node : command];
}

function buildBundle(node, env) {
  // The bundle's own output belongs to the command that follows, so the builder's goes to stderr.
  const built = spawnSync(node, [join(root, "scripts", "build.ts"), "--quiet"], { cwd: root, env, stdio: [0, 2, 2] });
  if (built.status !== 0) {
    process.stderr.write("skein: the bundle could not be built (errors above); `npm run build` tries again\n");
    process.exit(built.status ?? 1);
  }
}

function searchPath(node) {
  const own = [join(root, "node_modules", ".bin")];
  // A Node that is already first on PATH is left where it is, so that nothing else beside it is moved to the front.
  if (node !== process.execPath) own.unshift(dirname(node));
  return [...own, process.env.PATH ?? ""].join(delimiter);
}

function parse(argv) {
  const known = ["--build", "--init-cwd"];
  const first = argv.findIndex((arg) => !known.includes(arg));
  if (first < 0 || argv[first].startsWith("-")) {
    process.stderr.write("usage: node scripts/bootstrap.mjs [--build] [--init-cwd] <command> [args...]\n");
    process.exit(2);
  }
  return { flags: new Set(argv.slice(0, first)), command: argv[first], args: argv.slice(first + 1) };
}
