// `skein vcs watch`: the events of a store from a position on, through its server while one lives and from its files otherwise. The
// position of the last event is all that is kept between two questions, so nothing is missed and nothing is told twice.

import { asPosition, type Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { lockPath } from "../log/segments/lock-path.ts";
import type { StoreEvent } from "../vcs/watch.ts";
import { isHeld } from "./live-run.ts";
import { openDoorToRead, serverOf } from "./store-door.ts";
import { findStore, type StoreWish } from "./store-place.ts";
import type { ReadingError } from "./store-reader.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WatchWish {
  /** Null: what comes from now on. */
  readonly from: number | null;
  /** Goes on until `stop`; else ends with what is there. */
  readonly follow: boolean;
  readonly stop: AbortSignal;
  /** First of all, before any event. */
  onBegin(begin: { readonly from: Position; readonly head: Position }): void;
  /** Resolves when it was taken. */
  onEvent(event: StoreEvent): void;
}

const waitMs = 10_000;
/** Between looks at the files of a store that no process serves. */
const filesPauseMs = 300;

/** Answers with the position that all events up to were told of. */
export async function vcsWatch(
  surroundings: Surroundings,
  store: StoreWish,
  wish: WatchWish,
): Promise<Result<Position, ReadingError>> {
  const place = await findStore(surroundings, store);
  if (!place.ok) return place;
  const { directory } = place.value;
  const { clock } = surroundings.host;
  let at: Position | null = wish.from === null ? null : asPosition(wish.from);
  let isBegun = false;
  for (;;) {
    const round = await look(surroundings, directory, at, wish.follow && isBegun ? waitMs : 0, wish.stop);
    if (!round.ok) return round;
    const { head, to, events, byServer } = round.value;
    if (at !== null && at > head && !isBegun) return err({ kind: "no-position", position: at, first: 0, head });
    if (!isBegun) wish.onBegin({ from: at ?? head, head });
    isBegun = true;
    for (const event of events) wish.onEvent(event);
    const isThrough = to >= head;
    at = to;
    if (wish.stop.aborted || (isThrough && !wish.follow)) return ok(at);
    if (isThrough && !byServer) await clock.sleep(filesPauseMs, wish.stop);
  }
}

interface Round {
  readonly head: Position;
  readonly to: Position;
  readonly events: readonly StoreEvent[];
  readonly byServer: boolean;
}

/** `at` null: where the head is now. */
async function look(
  surroundings: Surroundings,
  directory: string,
  at: Position | null,
  wait: number,
  stop: AbortSignal,
): Promise<Result<Round, ReadingError>> {
  const { host } = surroundings;
  for (;;) {
    // A server that has gone is not waited for: what it had acknowledged is in the files.
    const client = await serverOf(surroundings, directory, { patienceMs: 0 });
    if (client !== null) {
      const end = (): void => client.close();
      stop.addEventListener("abort", end, { once: true });
      const head = await client.head();
      const answer = head.ok ? await client.watch(at ?? head.value.position, wait) : head;
      stop.removeEventListener("abort", end);
      client.close();
      if (head.ok && answer.ok) {
        const { to, events } = answer.value;
        return ok({ head: asPosition(Math.max(head.value.position, to)), to, events, byServer: true });
      }
      if (stop.aborted) {
        const known = at ?? asPosition(0);
        return ok({ head: known, to: known, events: [], byServer: true });
      }
      // It has ended meanwhile: its files, or its next server, are asked.
      await host.clock.sleep(filesPauseMs, stop);
      continue;
    }
    const read = await lookAtFiles(surroundings, directory, at);
    if (read !== null) return read;
    if (stop.aborted) {
      const known = at ?? asPosition(0);
      return ok({ head: known, to: known, events: [], byServer: false });
    }
    await host.clock.sleep(filesPauseMs, stop);
  }
}

/** Null while somebody writes: the files can then show what is not on the disk yet. */
async function lookAtFiles(
  surroundings: Surroundings,
  directory: string,
  at: Position | null,
): Promise<Result<Round, ReadingError> | null> {
  const { host } = surroundings;
  if (await isHeld(host, lockPath(directory))) return null;
  const door = await openDoorToRead(surroundings, directory);
  if (!door.ok) return door;
  try {
    if (door.value.kind !== "files") return null;
    const { vcs } = door.value.view;
    const head = vcs.head();
    const events: StoreEvent[] = [];
    for await (const event of vcs.events(at ?? head)) events.push(event);
    if (await isHeld(host, lockPath(directory))) return null;
    return ok({ head, to: asPosition(Math.max(head, at ?? head)), events, byServer: false });
  } catch (error) {
    return err({
      kind: "unreadable",
      message: error instanceof Error ? error.message : String(error),
      store: directory,
    });
  } finally {
    await door.value.close();
  }
}
