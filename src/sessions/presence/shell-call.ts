// What a shell command changed: a snapshot of the worktree is kept in the session's directory while the command runs, and compared with
// one after it. Invariant: what was there before is not the command's, and without a snapshot nothing is.

import { join } from "node:path";
import { fnv64 } from "../../base/fnv.ts";
import { flag, natural, object, optional, type Parsed, parse, real, record, text } from "../../base/parse.ts";
import { STANDING, type Standing } from "./line.ts";
import type { Place } from "./place.ts";
import type { Ends } from "./running.ts";
import type { SessionFiles } from "./session-file.ts";
import { changedBetween, type LookTools, stampOf, type WorktreeLook } from "./worktree-look.ts";

const stampCharsMax = 60;
const stampsMax = 10_000;

const callCharsMax = 300;

const SNAPSHOT = object({
  call: text(callCharsMax),
  at: natural(),
  /** The hook was there to record it; later than `at` where the look had begun before. */
  recordedAt: optional(natural(), 0),
  standing: STANDING,
  ends: record(real, stampsMax),
  stamps: record(text(stampCharsMax), stampsMax),
  complete: flag,
});
export type Snapshot = Parsed<typeof SNAPSHOT>;

const snapshotBytesMax = 2 * 1024 * 1024;
const filesMax = 100;
/** More calls of one session that never ended are not looked at. */
const callsMax = 64;
const folder = "calls";

export interface ShellCalls {
  readonly files: SessionFiles;
  readonly tools: LookTools;
  /** The session's own directory. */
  readonly directory: string;
  /** The event's worktree, looked at once: when it is asked for first. */
  readonly lookNow: () => Promise<WorktreeLook>;
}

export interface SnapshotFacts {
  readonly look: WorktreeLook;
  readonly standing: Standing;
  /** When others' commands had ended last: asked before the look began, or one that ended meanwhile would be missed. */
  readonly ends: Ends;
  readonly at: number;
  readonly recordedAt: number;
}

/** A snapshot that cannot be kept makes the changes unattributed, and nothing else. */
export async function snapshotBefore(
  { files, directory }: ShellCalls,
  call: string,
  { look: { stamps, complete }, standing, ends, at, recordedAt }: SnapshotFacts,
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify({ call, at, recordedAt, standing, ends, stamps, complete }));
  const path = snapshotPath(directory, call);
  const written = await files.write(path, bytes, { private: true });
  if (written.ok || written.error.code !== "not-found") return;
  if ((await files.makeDirectory(join(directory, folder), { private: true })).ok)
    await files.write(path, bytes, { private: true });
}

/** Takes the snapshot away with it; null where there is none. */
export function takeSnapshot(calls: ShellCalls, call: string): Promise<Snapshot | null> {
  return take(calls.files, snapshotPath(calls.directory, call));
}

/** Of calls that never told their end, oldest first: commands in the background, and interrupted ones. */
export async function takeAllSnapshots({ files, directory }: ShellCalls): Promise<readonly Snapshot[]> {
  const listed = await files.list(join(directory, folder), callsMax);
  const taken: Snapshot[] = [];
  for (const { name } of listed.ok ? listed.value : []) {
    const snapshot = await take(files, join(directory, folder, name));
    if (snapshot !== null) taken.push(snapshot);
  }
  return taken.sort((a, b) => a.at - b.at);
}

async function take(files: SessionFiles, path: string): Promise<Snapshot | null> {
  const bytes = await files.read(path, snapshotBytesMax);
  if (!bytes.ok) return null;
  await files.remove(path);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.value).toString("utf8"));
  } catch {
    return null;
  }
  const parsed = parse(SNAPSHOT, value, "snapshot");
  return parsed.ok ? parsed.value : null;
}

/** Snapshots of calls that never ended. */
export async function dropSnapshots({ files, directory }: Pick<ShellCalls, "files" | "directory">): Promise<void> {
  const path = join(directory, folder);
  // Removing loads more of Node than the look costs.
  if ((await files.stat(path)).ok) await files.remove(path);
}

/** Files that changed since the snapshot, relative to the worktree; null where that cannot be told. */
export async function changedSince(
  { tools, lookNow }: ShellCalls,
  snapshot: Snapshot,
  { place, standing }: { readonly place: Place; readonly standing: Standing },
): Promise<readonly string[] | null> {
  if (snapshot.standing.worktree !== standing.worktree || !snapshot.complete) return null;
  const after = await lookNow();
  if (!after.complete) return null;
  const changed = new Set(differing(snapshot, after).filter((path) => !isEarlier(after.stamps[path] ?? "", snapshot)));
  // What was different before and is as committed now: it was committed as it stood, or changed back.
  for (const [path, stamp] of Object.entries(snapshot.stamps))
    if (after.stamps[path] === undefined && (await stampOf(tools.files, join(place.worktree, path))) !== stamp)
      changed.add(path);
  const { branch, commit } = snapshot.standing;
  if (commit !== standing.commit && branch === standing.branch) {
    const committed = (await changedBetween(tools, place.worktree, [snapshot.standing, standing])) ?? [];
    // A file that was committed as it stood before the command was changed earlier.
    const isOlder = async (path: string): Promise<boolean> =>
      snapshot.recordedAt > snapshot.at && isEarlier(await stampOf(tools.files, join(place.worktree, path)), snapshot);
    for (const path of committed) if (snapshot.stamps[path] === undefined && !(await isOlder(path))) changed.add(path);
  }
  return [...changed].slice(0, filesMax);
}

/** Without a snapshot: what changed at or after a moment, by the files' own change times. */
export async function changedAfter({ lookNow }: ShellCalls, sinceMs: number): Promise<readonly string[]> {
  const { stamps } = await lookNow();
  const recent = Object.entries(stamps).filter(([, stamp]) => Number.parseFloat(stamp) >= sinceMs);
  return recent.map(([path]) => path).slice(0, filesMax);
}

/** By the kernel's clock, which moves in hundredths of a second at the slowest. */
const clockStepMs = 10;

/**
 * Changed after a look that had begun before the hook did, and before that: then by no command, which waits for the hook. What is gone has no time.
 */
function isEarlier(stamp: string, { at, recordedAt }: Snapshot): boolean {
  const changedMs = Number.parseFloat(stamp);
  // Some file systems know whole seconds alone: then it may be as late as the next one.
  if (changedMs % 1000 === 0) return false;
  return changedMs >= at - clockStepMs && changedMs < recordedAt - clockStepMs;
}

function differing(before: WorktreeLook, after: WorktreeLook): readonly string[] {
  return Object.entries(after.stamps).flatMap(([path, stamp]) => (before.stamps[path] === stamp ? [] : [path]));
}

function snapshotPath(directory: string, call: string): string {
  return join(directory, folder, `${fnv64(call)}.json`);
}
