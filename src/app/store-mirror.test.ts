// A history with everything that is hard to carry goes in with every commit and comes out on a branch, again and again: git's own reading
// of both sides is the measure.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import type { RepoPath } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { makeHardHistory } from "../testing/git/hard-history.ts";
import { git, makeRepository, temporaryDirectory } from "../testing/git/real-repository.ts";
import { request } from "../testing/vcs/vcs-rig.ts";
import { blobId } from "../vcs/blob-id.ts";
import { treeId } from "../vcs/tree-id.ts";
import type { Change, LandedCommit } from "../vcs/types.ts";
import { serve } from "./serve.ts";
import { importRevision } from "./store-import.ts";
import { type MirrorTold, mirrorStore } from "./store-mirror.ts";
import type { Surroundings } from "./surroundings.ts";
import { openVcsStore, type VcsStore } from "./vcs-store.ts";

function surroundingsAt(root: string): Surroundings {
  return {
    host: nodeHost(),
    env: { PATH: process.env.PATH },
    cwd: root,
    processId: process.pid,
    platform: process.platform,
    packageRoot: root,
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

interface Place {
  readonly root: string;
  readonly repository: string;
  readonly store: string;
  readonly surroundings: Surroundings;
}

const placeAt = (root: string): Place => ({
  root,
  repository: join(root, "r p"),
  store: join(root, "store"),
  surroundings: surroundingsAt(root),
});

async function opened<T>({ surroundings, store }: Place, act: (store: VcsStore) => Promise<T>): Promise<T> {
  const open = unwrap(await openVcsStore(surroundings.host, store, { policies: [] }), "open");
  return act(open).finally(() => open.close());
}

/** Resolves when it listens. */
async function served(place: Place, stop: AbortSignal): Promise<{ readonly ended: Promise<unknown> }> {
  const ready = Promise.withResolvers<void>();
  const ended = serve(place.surroundings, {
    directory: place.store,
    socket: join(place.root, "socket"),
    policies: null,
    limits: {},
    stop,
    onReady: () => ready.resolve(),
    onStopped: () => undefined,
  });
  await ready.promise;
  return { ended };
}

async function mirror({ surroundings, store }: Place, branch: string) {
  const told: MirrorTold[] = [];
  const stop = new AbortController().signal;
  const wish = { branch, repository: null, follow: false, stop, onRound: (round: MirrorTold) => told.push(round) };
  const done = await mirrorStore(surroundings, { store }, wish);
  return { done, appended: told.reduce((sum, { commits }) => sum + commits, 0) };
}

/** Lands a change of a few files on the head; `by` makes the key. */
async function land(store: VcsStore, by: number, files: Readonly<Record<string, string>>): Promise<void> {
  const base = store.vcs.head();
  const format = store.vcs.imported()?.objectFormat ?? "sha1";
  const blobs = Object.values(files).map((text) => ({
    id: blobId(Buffer.from(text), format),
    bytes: Buffer.from(text),
  }));
  const changes = Object.keys(files).map((path, index): Change => {
    return { kind: "put", path: path as RepoPath, blob: blobs[index]!.id, mode: "100644" };
  });
  const asked = { ...request({ by, base, files }), changes, blobs };
  const outcome = unwrap(await store.vcs.commit(asked), "commit");
  expect(outcome.kind).toBe("landed");
}

test.each(["sha1", "sha256"] as const)(
  "S22 S23 S24 S28 every commit of a hard history comes in with git's tree, and goes out again (%s)",
  async (format) => {
    using directory = temporaryDirectory("skein history .. 'é' ");
    const place = placeAt(directory.path);
    makeHardHistory(place.repository, format);
    const log = (range: string, what: string) =>
      git(place.repository, ["log", "--first-parent", "--reverse", `--format=${what}`, range, "--"]).split("\n");
    const trees = log("main", "%T");
    const wish = { repository: place.repository, revision: "main", history: "all" as const };

    const taken = await opened(place, async (store) => {
      const report = unwrap(await importRevision(place.surroundings, store.vcs, wish), "import");
      const commits: LandedCommit[] = [];
      for await (const commit of store.vcs.history()) commits.push(commit);
      const first = store.vcs.imported()?.position ?? 0;
      const at = commits.map(({ position }) => treeId(store.vcs.manifest(position), format));
      const faults = commits.filter(({ position }, index) => position !== first + index + 1).length;
      await land(store, 1, { "a.txt": "one\nnew\n" });
      await land(store, 2, { "new/file": "deep\n" });
      return { report, at, first: store.vcs.imported()?.source.tree, commits, faults };
    });
    expect([taken.first, ...taken.at]).toEqual(trees);
    expect(taken.report).toEqual({
      position: trees.length + 1,
      files: git(place.repository, ["ls-tree", "-r", "--name-only", "main"]).split("\n").length,
      commit: git(place.repository, ["rev-parse", "main"]),
      tree: trees.at(-1),
      commits: trees.length - 1,
      merges: log("main", "%P")
        .slice(1)
        .filter((parents) => parents.includes(" ")).length,
      isCutShort: false,
    });
    // What the merges brought in came along, the commits that led there did not: their ids did.
    const merged = log("main", "%P").flatMap((parents) => parents.split(" ").slice(1));
    const named = taken.commits.flatMap(({ message }) => [...message.matchAll(/^Git-Merged-Parent: (.*)$/gm)]);
    expect(merged.length).toBeGreaterThan(0);
    expect(named.map(([, id]) => id)).toEqual(merged);
    const utf8 = (latin1: string) => Buffer.from(latin1, "latin1").toString("utf8");
    expect(taken.commits.map(({ message }) => message.split("\n")[0])).toEqual(log("main", "%s").slice(1).map(utf8));
    expect(new Set(taken.commits.map(({ author }) => author.agent))).toEqual(
      new Set(["Test <test@example.com>", "Zoë x\ufffd[2J <zoe@example.com>"]),
    );

    const refs = () => git(place.repository, ["for-each-ref", "--format=%(refname) %(objectname)"]).split("\n");
    const before = refs();
    const one = await mirror(place, "live");
    const tip = git(place.repository, ["rev-parse", "live"]);
    expect([one.appended, log("main..live", "%s")]).toEqual([2, ["change by a1", "change by a2"]]);
    await opened(place, (store) => land(store, 3, { "a.txt": "one\nnewer\n" }));
    const two = await mirror(place, "live");
    const three = await mirror(place, "live");
    expect([two.appended, three.appended]).toEqual([1, 0]);
    // The second only appended to what the first had made.
    expect(git(place.repository, ["rev-parse", "live~1"])).toBe(tip);
    expect(refs().filter((line) => !line.startsWith("refs/heads/live"))).toEqual(before);
    const head = await opened(place, async (store) => treeId(store.vcs.manifest(store.vcs.head()), format));
    expect(git(place.repository, ["rev-parse", "live^{tree}"])).toBe(head);
    git(place.repository, ["fsck", "--strict", "--no-dangling"]);
    const trailers = git(place.repository, [
      "log",
      "-1",
      "--format=%(trailers:key=Skein-Task,valueonly)%(trailers:key=Skein-Agent,valueonly)%(trailers:key=Skein-Position,valueonly)",
      "live",
    ]);
    expect(trailers.split("\n").filter((line) => line !== "")).toEqual(["t3", "a3", String(trees.length + 4)]);
  },
);

test("a shallow repository's history is said to be cut short, unless no more was asked for", async () => {
  using directory = temporaryDirectory();
  const place = placeAt(directory.path);
  makeHardHistory(place.repository, "sha1");
  const shallow = join(directory.path, "shallow");
  git(directory.path, ["clone", "-q", "--depth", "3", `file://${place.repository}`, shallow]);
  const said: unknown[] = [];
  for (const history of ["all", 1] as const) {
    const own = { ...placeAt(join(directory.path, `place-${history}`)), repository: shallow };
    await opened(own, async (store) => {
      const wish = { repository: shallow, revision: "HEAD", history };
      const { commits, isCutShort } = unwrap(await importRevision(own.surroundings, store.vcs, wish), "import");
      said.push({ commits, isCutShort });
    });
  }
  expect(said).toEqual([
    { commits: 2, isCutShort: true },
    { commits: 1, isCutShort: false },
  ]);
});

test("a branch that others moved, made, or checked out is left as it is, and said", async () => {
  using directory = temporaryDirectory();
  const place = placeAt(directory.path);
  makeRepository(place.repository, { a: { kind: "file", bytes: "a\n" } });
  await opened(place, async (store) => {
    unwrap(
      await importRevision(place.surroundings, store.vcs, {
        repository: place.repository,
        revision: "HEAD",
        history: null,
      }),
      "import",
    );
    await land(store, 1, { b: "b\n" });
  });
  await mirror(place, "live");
  const [ours, base] = git(place.repository, ["rev-parse", "live", "main"]).split("\n");
  const theirs = git(place.repository, ["commit-tree", "-p", "live", "-m", "theirs", "live^{tree}"]);
  const amended = git(place.repository, [
    "commit-tree",
    "-p",
    "main",
    "-m",
    git(place.repository, ["log", "-1", "--format=%B", "live"]),
    "main^{tree}",
  ]);
  const kinds: (string | undefined)[] = [];
  for (const [branch, commit] of [
    ["live", theirs],
    ["live", amended],
    ["other", base],
    ["main", base],
    ["-bad", null],
  ] as const) {
    if (commit !== null && branch !== "main")
      git(place.repository, ["update-ref", `refs/heads/${branch}`, commit ?? ""]);
    const { done } = await mirror(place, branch);
    kinds.push(done.ok ? "ok" : done.error.kind === "mirror" ? done.error.error.kind : done.error.kind);
    if (commit !== null) expect(git(place.repository, ["rev-parse", branch])).toBe(commit);
  }
  expect(kinds).toEqual(["branch-moved", "branch-moved", "branch-moved", "branch-checked-out", "bad-branch-name"]);
  // Put back, it goes on.
  git(place.repository, ["update-ref", "refs/heads/live", ours ?? ""]);
  await opened(place, (store) => land(store, 2, { c: "c\n" }));
  expect((await mirror(place, "live")).appended).toBe(1);
});

test("beside a server a branch follows what lands, and ends cleanly when somebody moves it", async () => {
  using directory = temporaryDirectory();
  const place = placeAt(directory.path);
  makeRepository(place.repository, { a: { kind: "file", bytes: "a\n" } });
  const big = "x".repeat(600_000);
  await opened(place, async (store) => {
    unwrap(
      await importRevision(place.surroundings, store.vcs, {
        repository: place.repository,
        revision: "HEAD",
        history: 5,
      }),
      "import",
    );
    await land(store, 1, { b: "b\n", big });
  });
  const stop = new AbortController();
  const { ended: serving } = await served(place, stop.signal);
  const rounds: MirrorTold[] = [];
  let heard = Promise.withResolvers<void>();
  const following = mirrorStore(
    place.surroundings,
    { store: place.store },
    {
      branch: "live",
      repository: null,
      follow: true,
      stop: stop.signal,
      onRound: (told) => {
        rounds.push(told);
        heard.resolve();
      },
    },
  );
  await heard.promise;
  heard = Promise.withResolvers<void>();
  const { openDoorToWrite } = await import("./store-door.ts");
  const door = unwrap(await openDoorToWrite(place.surroundings, place.store, { policies: [] }), "door");
  if (door.kind !== "server") throw new Error("it is served");
  unwrap(await door.client.commit(request({ by: 2, base: 2, files: { c: "c\n" } })), "commit");
  await heard.promise;
  expect(rounds.map(({ commits }) => commits)).toEqual([1, 1]);
  expect(git(place.repository, ["show", "live:c"])).toBe("c");
  expect(execFileSync("git", ["-C", place.repository, "show", "live:big"]).length).toBe(big.length);
  git(place.repository, ["update-ref", "refs/heads/live", "main"]);
  unwrap(await door.client.commit(request({ by: 3, base: 3, files: { d: "d\n" } })), "commit");
  expect(await following).toMatchObject({ ok: false, error: { kind: "mirror", error: { kind: "branch-moved" } } });
  expect(git(place.repository, ["rev-parse", "live"])).toBe(git(place.repository, ["rev-parse", "main"]));
  await door.close();
  stop.abort();
  await serving;
});

test("a mirror that is stopped after its server has gone ends well, with what it has done", async () => {
  using directory = temporaryDirectory();
  const place = placeAt(directory.path);
  makeRepository(place.repository, { a: { kind: "file", bytes: "a\n" } });
  const wish = { repository: place.repository, revision: "HEAD", history: null };
  await opened(place, async (store) => {
    unwrap(await importRevision(place.surroundings, store.vcs, wish), "import");
    await land(store, 1, { b: "b\n" });
  });
  const [ends, stop] = [new AbortController(), new AbortController()];
  const { ended: serving } = await served(place, ends.signal);
  const heard = Promise.withResolvers<void>();
  const { clock } = place.surroundings.host;
  // Once the server has gone, time runs ahead: its client gives up, and the mirror waits for the next who has the store open.
  let isGone = false;
  let aheadMs = 0;
  const hasty = {
    ...clock,
    monotonicMs: () => clock.monotonicMs() + aheadMs,
    sleep: (ms: number, signal?: AbortSignal) => {
      if (!isGone) return clock.sleep(ms, signal);
      aheadMs += ms;
      if (ms === 1_000) stop.abort();
      return clock.sleep(1, signal);
    },
  };
  const following = mirrorStore(
    { ...place.surroundings, host: { ...place.surroundings.host, clock: hasty } },
    { store: place.store },
    { branch: "live", repository: null, follow: true, stop: stop.signal, onRound: () => heard.resolve() },
  );
  await heard.promise;
  ends.abort();
  await serving;
  isGone = true;
  expect(await following).toMatchObject({ ok: true, value: { branch: "live", commits: 1 } });
});
