// `skein vcs mirror`: brings a branch of a git repository up to a store, once or as long as one likes, beside whoever has it open.

import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import { segmentsDirectory } from "../log/segments/segment-files.ts";
import type { Git } from "../vcs/git/command.ts";
import { type InspectError, inspectRepository } from "../vcs/git/inspect.ts";
import { Mirror, type MirrorError, type Mirrored, type MirrorSource } from "../vcs/git/mirror.ts";
import type { Pace } from "../vcs/git/pace.ts";
import { gitOf } from "./prepare-swarm.ts";
import { asBeside, commitsBesideMax, type SourceBeside } from "./store-beside.ts";
import { type DoorError, openDoorToRead } from "./store-door.ts";
import { storeIdentity } from "./store-identity.ts";
import { findStore, type PlaceError, type StoreWish } from "./store-place.ts";
import { sourceOf } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";

export interface MirrorWish {
  readonly branch: string;
  /** Null: the repository that the store began with, or where it began with none, the current one. */
  readonly repository: string | null;
  readonly follow: boolean;
  readonly stop: AbortSignal;
  /** After each round that appended something, and once at the end of what was there at the beginning. */
  onRound(told: MirrorTold): void;
}

export interface MirrorTold extends Mirrored {
  readonly branch: string;
  readonly repository: string;
  /** Appended since the last time. */
  readonly commits: number;
}

export type StoreMirrorError =
  | PlaceError
  | DoorError
  | InspectError
  | { readonly kind: "not-imported" }
  | { readonly kind: "mirror"; readonly error: MirrorError; readonly store: string }
  /** The store could not be read any more. */
  | { readonly kind: "mirror-source"; readonly message: string; readonly store: string };

/** Between rounds of one that follows: so much of the time that a round took, so that each commits what gathered meanwhile as one pack. */
const followPauseShare = 5;
const followPauseMsMin = 1_000;
const followPauseMsMax = 15_000;
/** Of the time that work took: on a machine that others use, work takes longer, and so do rests. */
const restShare = 2;
const restMsMax = 250;
/** Between looks whether somebody has written to a store that no process serves. */
const filesPauseMs = 1_000;
const segmentFilesMax = 1_000_000;

export async function mirrorStore(
  surroundings: Surroundings,
  wish: StoreWish,
  mirror: MirrorWish,
): Promise<Result<MirrorTold, StoreMirrorError>> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory: store } = place.value;
  const told: { last: MirrorTold | null; commits: number } = { last: null, commits: 0 };
  const onRound = (round: MirrorTold): void => {
    told.last = round;
    told.commits += round.commits;
    mirror.onRound(round);
  };
  for (;;) {
    const done = await throughOneDoor(surroundings, store, { ...mirror, onRound });
    // Whoever had the store open is gone, or another has it now: its files or its next server are read on.
    const goesOn = mirror.follow && (done.ok || done.error.kind === "mirror-source");
    if (!goesOn) return done;
    if (!mirror.stop.aborted) await surroundings.host.clock.sleep(filesPauseMs, mirror.stop);
    if (!mirror.stop.aborted) continue;
    // A person may end it while there is nobody to read from: what it has done is done.
    return done.ok || told.last === null ? done : ok({ ...told.last, commits: told.commits });
  }
}

/** Ends when there is nothing more to be had through this door: at once without `follow`, else when its server is gone or files grew. */
async function throughOneDoor(
  surroundings: Surroundings,
  store: string,
  wish: MirrorWish,
): Promise<Result<MirrorTold, StoreMirrorError>> {
  const { host } = surroundings;
  const before = await filesOf(surroundings, store);
  const door = await openDoorToRead(surroundings, store);
  if (!door.ok) return door;
  let beside: SourceBeside | null = null;
  try {
    // Whoever commits meanwhile, or begins to, does not wait for a branch.
    const stepsBack = door.value.kind === "server" || wish.follow;
    if (stepsBack) surroundings.stepBack?.();
    const identity = await storeIdentity(host.files, store);
    const found =
      identity === null ? null : await sourceOf(door.value, identity.log, stepsBack ? commitsBesideMax : undefined);
    if (found === null) return err({ kind: "not-imported" });
    const source = asBeside(surroundings, store, door.value, found);
    beside = source;
    const repository = await repositoryOf(surroundings, wish, source.repository);
    if (!repository.ok) return repository;
    const { branch } = wish;
    const git = stepsBack ? steppingBack(surroundings) : gitOf(surroundings);
    const pace = stepsBack ? { pace: paceOf(host.clock, wish.stop) } : {};
    const opened = await Mirror.open({ git, repository: repository.value, branch, source, ...pace });
    if (!opened.ok) return err({ kind: "mirror", error: opened.error, store });
    const { value: mirror } = opened;
    const tell = (commits: number): MirrorTold => ({ ...mirror.at, branch, repository: repository.value, commits });
    let commits = 0;
    for (let isFirst = true; ; isFirst = false) {
      const startMs = host.clock.monotonicMs();
      const caught = await catchUp(mirror, source, wish, isFirst);
      if (!caught.ok) return err(mirrorError(caught.error, store));
      commits += caught.value;
      if (caught.value > 0 || isFirst) wish.onRound(tell(caught.value));
      if (!wish.follow || wish.stop.aborted) return ok(tell(commits));
      if (door.value.kind === "server")
        await host.clock.sleep(pauseAfter(host.clock.monotonicMs() - startMs), wish.stop);
      else await untilWritten(surroundings, store, { before, stop: wish.stop });
      if (door.value.kind !== "server" || wish.stop.aborted) return ok(tell(commits));
    }
  } catch (error) {
    // Whoever reads the store rejects: its server ended, or a file of it is gone.
    const message = cleanLine(error instanceof Error ? error.message : String(error), 1_000);
    return err({ kind: "mirror-source", message, store });
  } finally {
    await beside?.close();
    await door.value.close();
  }
}

/** What works long lets others go first, too. */
function steppingBack(surroundings: Surroundings): Git {
  const git = gitOf(surroundings);
  return {
    ...git,
    processes: {
      async spawn(spec) {
        const spawned = await git.processes.spawn(spec);
        if (spawned.ok && spec.argv.includes("fast-import")) surroundings.stepBack?.(spawned.value.pid);
        return spawned;
      },
    },
  };
}

/** After each piece of work, and longer where work takes longer because others are at it, too. */
function paceOf(clock: Clock, stop: AbortSignal): Pace {
  return { clock, rest: (workedMs) => clock.sleep(Math.min(restMsMax, workedMs * restShare), stop) };
}

function pauseAfter(tookMs: number): number {
  return Math.min(followPauseMsMax, Math.max(followPauseMsMin, tookMs * followPauseShare));
}

function mirrorError(error: MirrorError, store: string): StoreMirrorError {
  const isSource = error.kind === "blob" && error.id === null;
  return isSource ? { kind: "mirror-source", message: error.message, store } : { kind: "mirror", error, store };
}

/** Ends with what was there at its beginning: while others commit there is always a little more, which is the next one's. */
async function catchUp(
  mirror: Mirror,
  source: MirrorSource,
  { stop }: MirrorWish,
  isWhole: boolean,
): Promise<Result<number, MirrorError>> {
  const head = await source.head();
  let commits = 0;
  for (;;) {
    const round = await mirror.round();
    if (!round.ok) return round;
    commits += round.value.commits;
    if (round.value.commits === 0 || mirror.at.position >= head || stop.aborted) break;
  }
  const verified = isWhole ? await mirror.verify() : ok(undefined);
  return verified.ok ? ok(commits) : verified;
}

async function repositoryOf(
  surroundings: Surroundings,
  { repository }: MirrorWish,
  imported: string,
): Promise<Result<string, InspectError>> {
  const { cwd, host } = surroundings;
  const path = repository !== null ? resolve(cwd, repository) : imported === "" ? cwd : imported;
  const inspected = await inspectRepository({ git: gitOf(surroundings), files: host.files, path });
  if (inspected.ok) return ok(inspected.value.root);
  // A branch can be the first thing in it.
  return inspected.error.kind === "empty-repository" ? ok(path) : inspected;
}

/** The names of a store's segments and the newest one's length: they change when somebody writes. */
async function filesOf({ host: { files } }: Surroundings, store: string): Promise<string> {
  const listed = await files.list(segmentsDirectory(store), segmentFilesMax);
  const names = listed.ok ? listed.value.map(({ name }) => name) : [];
  const last = await files.stat(join(segmentsDirectory(store), names.at(-1) ?? "none"));
  return JSON.stringify([names, last.ok ? last.value.size : null]);
}

async function untilWritten(
  surroundings: Surroundings,
  store: string,
  { before, stop }: { readonly before: string; readonly stop: AbortSignal },
): Promise<void> {
  while (!stop.aborted && (await filesOf(surroundings, store)) === before)
    await surroundings.host.clock.sleep(filesPauseMs, stop);
}
