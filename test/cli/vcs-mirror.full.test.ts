// `skein vcs mirror` on a file system that is full, and killed with `kill -9` again and again: the branch is where it was or where it was
// to go, git finds nothing wrong, and the next mirror appends the rest. Git's own reading of the repository is the measure.

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { openVcsStore } from "../../src/app/vcs-store.ts";
import { asAgentId, asCommitKey, asTaskId, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import { blobIdOf } from "../../src/log/blob-id.ts";
import { makeRepository } from "../../src/testing/git/real-repository.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/sim/random.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { lastJson, skein, startSkein } from "../support/skein.ts";

interface Place {
  readonly box: Sandbox;
  readonly repository: string;
  readonly store: string;
  readonly random: SeededRandom;
  /** So many have landed. */
  commits: number;
}

const branch = "live";

async function placeIn(box: Sandbox, repository: string): Promise<Place> {
  const store = join(box.root, "store");
  makeRepository(repository, { "a.txt": { kind: "file", bytes: "one\n" } });
  const imported = await skein(box, { args: ["vcs", "import", "--store", store, "--repo", repository, "--json"] });
  expect(imported.exitCode).toBe(0);
  return { box, repository, store, random: seededRandom(7, "mirrors"), commits: 0 };
}

/** Commits of 4 KiB that do not compress. */
async function land(place: Place, count: number): Promise<void> {
  const { vcs, close } = unwrap(await openVcsStore(nodeHost(), place.store, { policies: [] }), "open");
  const format = vcs.imported()?.objectFormat ?? "sha1";
  const base = vcs.head();
  const answers = Array.from({ length: count }, (_, index) => {
    const number = place.commits + index;
    const bytes = Buffer.alloc(4_096);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(place.random.integer(2 ** 32), at);
    const id = blobIdOf(bytes, format);
    return vcs.commit({
      key: asCommitKey(`k${number}`),
      base,
      author: { agent: asAgentId("a"), task: asTaskId("t") },
      message: `Commit ${number}`,
      changes: [{ kind: "put", path: `d${number % 10}/f${number}` as RepoPath, blob: id, mode: "100644" }],
      blobs: [{ id, bytes }],
    });
  });
  for (const answer of await Promise.all(answers)) expect(unwrap(answer, "commit").kind).toBe("landed");
  place.commits += count;
  await close();
}

function mirrorArgs({ store, repository }: Place): readonly string[] {
  return ["vcs", "mirror", "--store", store, "--repo", repository, "--branch", branch, "--json"];
}

function git({ repository }: Place, ...args: string[]): string {
  return execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 2 ** 28 }).trim();
}

/** Null where there is no branch. */
function tip(place: Place): string | null {
  const refs = git(place, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
  return refs === "" ? null : refs;
}

/** What must hold at any time; answers how many commits the branch has. */
function check(place: Place, before: string | null): number {
  const checked = spawnSync("git", ["-C", place.repository, "fsck", "--strict", "--no-dangling", "--full"], {
    encoding: "utf8",
  });
  expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, "", ""]);
  const now = tip(place);
  if (now === null) {
    expect(before).toBe(null);
    return 0;
  }
  if (before !== null) git(place, "merge-base", "--is-ancestor", before, now);
  const positions = git(
    place,
    "log",
    "--reverse",
    "--format=%(trailers:key=Skein-Position,valueonly,separator=)",
    `main..${branch}`,
  );
  const found = positions.split("\n").map(Number);
  // Position 1 is the import's: each commit stands once, in order, and none is left out.
  expect(found).toEqual(found.map((_, index) => index + 2));
  return found.length;
}

function subjects(place: Place): readonly string[] {
  return git(place, "log", "--reverse", "--format=%s", `main..${branch}`).split("\n");
}

/** Git's processes in the repository: they outlive one that was killed, for a moment. */
function gitsIn({ repository }: Place): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const isIts = /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(repository);
      return isIts && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("fast-import") ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

test("S24 a mirror that is killed 20 times leaves the branch where it was or where it was to go, and is gone on with", async () => {
  using box = sandbox();
  const place = await placeIn(box, join(box.root, "repository"));
  await land(place, 2_000);
  const seen = { killed: 0, stayed: 0, moved: 0 };
  let had = 0;
  for (let run = 0; run < 20; run += 1) {
    const before = tip(place);
    const started = startSkein(box, { args: mirrorArgs(place) });
    // From when git has begun on: a clock alone would miss it on a machine that is sometimes slow.
    while (started.child.exitCode === null && gitsIn(place).length === 0) await delay(1);
    await Promise.race([started.ended, delay(place.random.unit() * (run % 3) * 200)]);
    started.kill("SIGKILL");
    // Half of the time git goes, too; else it finds that its input has ended.
    if (run % 2 === 0) for (const pid of gitsIn(place)) process.kill(pid, "SIGKILL");
    const ended = await started.ended;
    while (gitsIn(place).length > 0) await delay(20);
    await delay(200);
    const has = check(place, before);
    expect(has).toBe(tip(place) === before ? had : place.commits);
    had = has;
    if (ended.signal === "SIGKILL") seen.killed += 1;
    if (tip(place) === before) seen.stayed += 1;
    else seen.moved += 1;
    if (has === place.commits) await land(place, 200);
  }
  const last = await skein(box, { args: mirrorArgs(place) });
  expect(lastJson(last)).toMatchObject({ branch, commit: tip(place) });
  expect(check(place, null)).toBe(place.commits);
  expect(subjects(place)).toEqual(Array.from({ length: place.commits }, (_, number) => `Commit ${number}`));
  // Else nothing was tried.
  expect(seen.killed).toBeGreaterThan(4);
  expect(seen.stayed).toBeGreaterThan(2);
}, 600_000);

function fill(directory: string, freeBytes: number): string {
  const path = join(directory, "filler");
  const file = openSync(path, "w");
  const block = Buffer.alloc(4_096);
  let blocks = 0;
  try {
    for (; ; blocks += 1) writeSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
  closeSync(file);
  execFileSync("truncate", ["-s", String(Math.max(0, blocks * 4_096 - freeBytes)), path]);
  return path;
}

test.skipIf(process.getuid?.() !== 0)(
  "S24 a mirror into a repository whose disk is full says so and changes nothing, and goes on when there is room",
  async () => {
    using box = sandbox();
    const disk = join(box.root, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
    try {
      const place = await placeIn(box, join(disk, "repository"));
      await land(place, 500);
      for (const freeBytes of [0, 4_096, 64 * 1024, 512 * 1024, 1536 * 1024]) {
        const before = tip(place);
        const filler = fill(disk, freeBytes);
        const full = await skein(box, { args: mirrorArgs(place) });
        expect([freeBytes, full.exitCode, tip(place)]).toEqual([freeBytes, 1, before]);
        expect(String(lastJson(full).error)).toMatch(/space|write/i);
        rmSync(filler);
        check(place, before);
        // What git has left of it goes as everywhere: nothing names it.
        const room = await skein(box, { args: mirrorArgs(place) });
        expect([freeBytes, room.exitCode, check(place, before)]).toEqual([freeBytes, 0, place.commits]);
        await land(place, 500);
      }
    } finally {
      execFileSync("umount", ["--lazy", disk]);
    }
  },
  600_000,
);
