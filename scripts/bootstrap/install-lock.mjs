// One installer at a time: a file that names its holder and is touched while the holder lives.
// Invariant: a lock is taken over only when its holder is dead or has not touched it for a while, and by one process only.
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { SetupError } from "./setup-error.mjs";

const TOUCH_INTERVAL_MS = 2_000;
const SILENCE_MS_MAX = 30_000;
const POLL_INTERVAL_MS = 100;
const WAIT_MS_MAX = 15 * 60_000;
const NOTICE_AFTER_MS = 1_000;

export async function withInstallLock(path, work) {
  await acquire(path);
  const release = () => rmSync(path, { force: true });
  process.on("exit", release);
  const touch = setInterval(() => touchFile(path), TOUCH_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.off("exit", release);
    release();
  }
}

async function acquire(path) {
  const startedAt = Date.now();
  let noticed = false;
  while (!tryCreate(path)) {
    if (isAbandoned(path)) removeAbandoned(path);
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > WAIT_MS_MAX) throw new SetupError("another install has not ended", `end it, or remove ${path}`);
    if (waitedMs > NOTICE_AFTER_MS && !noticed) {
      noticed = true;
      process.stderr.write("skein: waiting for another install…\n");
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

function tryCreate(path) {
  try {
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new SetupError(`${path} could not be written: ${error.message}`, "make the folder writable");
  }
}

function isAbandoned(path) {
  try {
    const silentMs = Date.now() - statSync(path).mtimeMs;
    if (silentMs > SILENCE_MS_MAX) return true;
    const { pid, host } = JSON.parse(readFileSync(path, "utf8"));
    return host === hostname() && !isAlive(pid);
  } catch {
    // Gone, or not yet written: the next round looks again.
    return false;
  }
}

/** A second, short lock around the removal: without it, a slow process could remove its successor's lock. */
function removeAbandoned(path) {
  const breaking = `${path}.breaking`;
  if (!tryCreate(breaking)) {
    if (isAbandoned(breaking)) rmSync(breaking, { force: true });
    return;
  }
  if (isAbandoned(path)) rmSync(path, { force: true });
  rmSync(breaking, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function touchFile(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // A removed lock cannot be kept; the rename at the end is safe without it.
  }
}
