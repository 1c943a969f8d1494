// Commits from the newest back, and events as they come. They go out in parts, each when the one before has been taken.

import { ok, type Result } from "../../base/result.ts";
import type { LandedCommit } from "../../vcs/types.ts";
import type { StoreEvent } from "../../vcs/watch.ts";
import { eventsAPartMax, packEventPart } from "./event-part.ts";
import { commitsAPartMax, packHistoryPart } from "./history-part.ts";
import type { Answers, Ask, Problem } from "./messages.ts";
import type { AskContext } from "./requests.ts";

type AskOf<K extends Ask["kind"]> = Extract<Ask, { kind: K }>;

/** Paths of a part: some 100 bytes each. */
const pathsAPart = 2_000;
/** Of one answer: the client asks on. */
const eventsAnAnswer = 5_000;
const waitMsMax = 20_000;
/** How soon it is noticed that nobody waits any more. */
const lookMs = 250;

export async function log(
  { store, parts, turns }: AskContext,
  ask: AskOf<"log">,
): Promise<Result<Answers["log"], Problem>> {
  let part: LandedCommit[] = [];
  let [paths, commits] = [0, 0];
  const flush = async (): Promise<void> => {
    if (part.length > 0 && !parts.isClosed()) await parts.push(packHistoryPart(part));
    [part, paths] = [[], 0];
  };
  for await (const commit of store.vcs.log(ask, () => turns.next())) {
    if (parts.isClosed()) break;
    part.push(commit);
    paths += commit.changes.length;
    commits += 1;
    if (part.length === commitsAPartMax || paths >= pathsAPart) await flush();
  }
  await flush();
  return ok({ commits });
}

export async function watch(
  { store, parts, turns }: AskContext,
  { from, wait_ms: waitMs }: AskOf<"watch">,
): Promise<Result<Answers["watch"], Problem>> {
  const { vcs } = store;
  for (let left = Math.min(waitMs, waitMsMax); left > 0 && vcs.head() <= from && !parts.isClosed(); left -= lookMs) {
    await vcs.grown(from, Math.min(left, lookMs));
  }
  const end = vcs.head();
  let part: StoreEvent[] = [];
  let [paths, events, to] = [0, 0, from];
  const flush = async (): Promise<void> => {
    if (part.length > 0 && !parts.isClosed()) await parts.push(packEventPart(part));
    [part, paths] = [[], 0];
    await turns.next();
  };
  for await (const event of vcs.events(from)) {
    if (parts.isClosed() || event.position > end) break;
    part.push(event);
    to = event.position;
    events += 1;
    paths += event.kind === "landed" ? event.changes.length : 1;
    if (events === eventsAnAnswer) break;
    if (part.length === eventsAPartMax || paths >= pathsAPart) await flush();
  }
  await flush();
  return ok({ to: events === eventsAnAnswer ? to : end > from ? end : from, events });
}
