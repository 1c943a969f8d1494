// Whether a process coordinates a run now, and what it is asked. The writer's lock tells, since it vanishes with its process; the
// socket is where to ask.

import type { Parser } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import { openPeer, type Peer } from "../protocol/peer.ts";
import { readCoordinatorFile } from "./coordinator-file.ts";
import { type LockedRun, runLock } from "./run-lock.ts";
import type { RunDirectories } from "./state-directory.ts";

/**
 * A coordinator holds the lock from before its first record until its branch is made. Another command that looks, as this
 * one, holds it for a moment: only what is held again and again, or answers at its socket, is a coordinator.
 */
export async function isRunning(host: Host, run: LockedRun): Promise<boolean> {
  for (let look = 1; look <= looksMax; look++) {
    if (look > 1) await host.clock.sleep(lookPauseMs);
    if (!(await isHeld(host, runLock(run)))) return false;
    if (await answers(host, run.directories)) return true;
  }
  return true;
}

const looksMax = 4;
const lookPauseMs = 50;

export async function isHeld({ files, locks }: Host, path: string): Promise<boolean> {
  // Where there is no lock yet there is no writer, and none is made by looking.
  if (!(await files.stat(path)).ok) return false;
  const lock = await locks.acquire(path);
  if (lock.ok) await lock.value.release();
  return !lock.ok && lock.error.code === "held";
}

async function answers(host: Host, directories: RunDirectories): Promise<boolean> {
  const peer = await connect(host, directories);
  if (peer.ok) peer.value.close();
  return peer.ok;
}

export interface NotLive {
  readonly kind: "not-live";
  readonly message: string;
}

const answerMsMax = 10_000;

/** Asks the run's coordinator; one that does not answer in time is as good as none. */
export async function askCoordinator<T>(
  host: Host,
  directories: RunDirectories,
  ask: object,
  answer: Parser<T>,
): Promise<Result<T, NotLive>> {
  const peer = await connect(host, directories);
  if (!peer.ok) return peer;
  const patience = host.clock.after(answerMsMax, () => peer.value.close());
  const answered = await peer.value.ask(ask, answer);
  patience.cancel();
  peer.value.close();
  return answered.ok ? answered : err({ kind: "not-live", message: answered.error.message });
}

async function connect({ files, net }: Host, directories: RunDirectories): Promise<Result<Peer, NotLive>> {
  const known = await readCoordinatorFile(files, directories);
  if (known === null) return err({ kind: "not-live", message: "no coordinator is known" });
  const connection = await net.connect(known.socket);
  if (!connection.ok) return err({ kind: "not-live", message: connection.error.message });
  return ok(
    openPeer(connection.value, {
      onAsk: async () => {
        throw new Error("a command answers no questions");
      },
      onNotice: () => {},
      onClose: () => {},
    }),
  );
}
