// Installs Node and the packages of the lock file, each into a private folder that is renamed into place when whole.
// Invariant: an interrupted install leaves nothing that counts as installed; only the holder of the install lock renames.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";
import { endNpm, npmCi } from "./npm-ci.mjs";
import { lockHash, MARKER, packagesAreCurrent } from "./packages.mjs";
import { SetupError } from "./setup-error.mjs";
import {
  NODE_MAJOR_MIN,
  nodeFolder,
  nodeInPackage,
  nodeInUse,
  releaseForPlatform,
  toolchainFolder,
} from "./toolchain.mjs";

/** Installs what is missing. Rejects with a SetupError that says what failed and what to do. */
export async function install(root) {
  const folder = toolchainFolder(root);
  mkdirSync(folder, { recursive: true });
  endChildrenOnSignals();
  await withInstallLock(join(folder, "install.lock"), async () => {
    removeLeftovers(folder);
    // Whoever held the lock before may have done all of it.
    if (nodeInUse(root) === undefined) await installNode(root);
    // Afterwards, because npm leaves out optional packages (the binaries) that do not suit the Node it runs on.
    if (!packagesAreCurrent(root)) await installPackages(root);
  });
}

async function installNode(root) {
  const release = releaseForPlatform();
  const advice = `install Node ${NODE_MAJOR_MIN} or newer yourself and run the command again`;
  if (release === undefined) {
    const platform = `${process.platform}-${process.arch}`;
    throw new SetupError(
      `Node ${process.versions.node} is too old and there is no packaged Node for ${platform}`,
      advice,
    );
  }
  say(`installing Node ${release.version} (once)…`);
  const stage = makeStage(root);
  // A lock file of its own makes npm check the package against the hash that is written down here.
  const { name, version, integrity } = release;
  const dependencies = { [name]: version };
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(stage, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(stage, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  const what = `Node ${version} could not be installed`;
  await npmCi({
    node: process.execPath,
    cwd: stage,
    what,
    advice: `check the network and the npm registry, or ${advice}`,
  });
  const built = join(stage, "node_modules", name);
  const probe = spawnSync(join(built, nodeInPackage()), ["--version"], { encoding: "utf8" });
  if (probe.stdout?.trim() !== `v${version}`) {
    const reason = probe.error?.message ?? probe.stderr?.trim() ?? "no output";
    throw new SetupError(`the packaged Node ${version} does not run on this machine: ${reason}`, advice);
  }
  renameSync(built, nodeFolder(root, release));
  discard(stage);
}

async function installPackages(root) {
  say("installing packages…");
  const stage = makeStage(root);
  const hash = lockHash(root);
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) copyFileSync(join(root, file), join(stage, file));
  const what = "the packages could not be installed";
  const advice = "check the network and the npm registry, then run the command again";
  await npmCi({ node: nodeInUse(root), cwd: stage, what, advice });
  writeFileSync(join(stage, "node_modules", MARKER), hash);
  const target = join(root, "node_modules");
  try {
    if (existsSync(target)) renameSync(target, join(stage, "replaced"));
    renameSync(join(stage, "node_modules"), target);
  } catch (error) {
    throw new SetupError(
      `node_modules could not be replaced: ${error.message}`,
      "remove node_modules and run the command again",
    );
  }
  discard(stage);
}

const stages = new Set();

function makeStage(root) {
  const stage = mkdtempSync(join(toolchainFolder(root), "stage-"));
  stages.add(stage);
  return stage;
}

function discard(stage) {
  stages.delete(stage);
  removeQuietly(stage);
}

/** What interrupted runs left; the lock is held, so none of it is in use. */
function removeLeftovers(folder) {
  for (const name of readdirSync(folder)) if (name.startsWith("stage-")) removeQuietly(join(folder, name));
}

/** An npm that outlived its bootstrap may still write there; a later install removes the rest. */
function removeQuietly(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {}
}

function endChildrenOnSignals() {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  process.on("exit", () => {
    endNpm();
    for (const stage of stages) removeQuietly(stage);
  });
}

function say(line) {
  process.stderr.write(`skein: ${line}\n`);
}
