// `skein vcs` and `skein serve` through the real program: the same answers from a server and from the files, and clear errors.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { repositoryKey } from "../../src/app/state-directory.ts";
import { openVcsView } from "../../src/app/vcs-store.ts";
import { asBlobId } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import { treeId } from "../../src/vcs/tree-id.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { type Ended, eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest as test } from "../support/small-repository.ts";

function vcs({ box, repository }: Small, command: string, ...args: string[]): Promise<Ended> {
  return skein(box, { args: ["vcs", command, "--store", join(box.root, "store"), "--json", ...args], cwd: repository });
}

async function served<T>(
  box: Sandbox,
  args: readonly string[],
  act: (ready: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  const server = startSkein(box, { args: ["serve", "--store", join(box.root, "store"), "--json", ...args] });
  let said = "";
  server.child.stdout?.on("data", (text: string) => {
    said += text;
  });
  const line = await eventually("the server listens", () => (said.includes("\n") ? said : null));
  try {
    return await act(JSON.parse(line));
  } finally {
    server.kill("SIGTERM");
    expect((await server.ended).exitCode).toBe(0);
  }
}

describe("git and workspaces", () => {
  test("S20 S26 history in, a workspace that is edited, synced and removed, and out to a branch, with a server and without", async ({
    small,
  }) => {
    const { repository, box } = small;
    small.make({ "a.txt": { kind: "file", bytes: "one\n" }, ".gitignore": { kind: "file", bytes: "*.log\n" } });
    const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" }).trim();
    writeFileSync(join(repository, "b.txt"), "two\n");
    git("add", "b.txt");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "Add b");
    const workspace = (command: string, ...args: string[]) =>
      skein(box, {
        args: ["vcs", "workspace", command, "--store", join(box.root, "store"), "--json", ...args],
        cwd: repository,
      });
    const imported = lastJson(await vcs(small, "import", "--history"));
    const made = lastJson(await workspace("add", "fix"));
    const root = String(made.root);
    writeFileSync(join(root, "a.txt"), "mine\n");
    writeFileSync(join(root, "new.txt"), "new\n");
    writeFileSync(join(root, "noise.log"), "noise\n");
    const status = execFileSync("git", ["-C", root, "status", "--porcelain"], { encoding: "utf8" });
    const shown = lastJson(await workspace("show", "fix"));
    const refused = await workspace("rm", "fix");

    const [synced, landed, mirrored] = await served(box, [], async () => {
      writeFileSync(join(repository, "a.txt"), "theirs\n");
      rmSync(join(repository, "b.txt"));
      await vcs(small, "commit", "--base", "head", "-m", "theirs");
      const overlap = await workspace("sync", "fix");
      writeFileSync(join(root, "a.txt"), "one\n");
      await workspace("sync", "fix");
      const commit = await vcs(small, "commit", "--from", root, "--base", "head", "-m", "mine");
      return [overlap, lastJson(commit), lastJson(await vcs(small, "mirror", "--branch", "live"))];
    });
    await workspace("sync", "fix");
    const listed = lastJson(await workspace("list"));
    const removed = await workspace("rm", "fix");

    expect(imported).toMatchObject({ position: 3, files: 3, commits: 1 });
    expect(made).toEqual({ name: "fix", kind: "person", root, position: 3, form: "directory" });
    expect(status).toBe(" M a.txt\n?? new.txt\n");
    expect(shown).toMatchObject({
      head: 3,
      skipped: [],
      changes: [
        { kind: "put", path: "a.txt" },
        { kind: "put", path: "new.txt" },
      ],
    });
    expect([refused.exitCode, lastJson(refused).error]).toEqual([
      1,
      expect.stringContaining("2 changes that the store does not have"),
    ]);
    expect([synced.exitCode, lastJson(synced)]).toEqual([
      3,
      { ...made, position: 3, updated: [], overlaps: ["a.txt"] },
    ]);
    expect(landed).toMatchObject({ puts: 1, deletes: 0, outcome: { kind: "landed", position: 5 } });
    expect(mirrored).toMatchObject({ branch: "live", commits: 2, commit: git("rev-parse", "live"), position: 5 });
    expect(git("log", "--format=%an %s", "live").split("\n")).toEqual([
      "skein person mine",
      "skein person theirs",
      "Ann Add b",
      "Test Base",
    ]);
    expect(git("ls-tree", "-r", "--name-only", "live").split("\n")).toEqual([".gitignore", "a.txt", "new.txt"]);
    expect(listed).toEqual({ workspaces: [{ ...made, position: 5 }] });
    expect([removed.exitCode, existsSync(root)]).toEqual([0, false]);
  });
});

describe("a store by hand", () => {
  test("import, commits with and without a server, conflict, figures, fsck and gc agree with git", async ({
    small,
  }) => {
    small.make({ "a.txt": { kind: "file", bytes: "one\n" }, "src/b.txt": { kind: "file", bytes: "two\n" } });
    const { repository, box } = small;
    const head = execFileSync("git", ["-C", repository, "rev-parse", "HEAD", "HEAD^{tree}"], { encoding: "utf8" });
    const [commit, tree] = head.trim().split("\n");
    const imported = lastJson(await vcs(small, "import"));
    writeFileSync(join(repository, "a.txt"), "ONE\n");
    rmSync(join(repository, "src"), { recursive: true });
    writeFileSync(join(repository, "new.txt"), "new\n");
    const first = await vcs(small, "commit", "--base", "1", "-m", "first", "--key", "k1", "new.txt");
    const [second, again, other, stats, gc] = await served(box, [], async () => {
      const landed = await vcs(small, "commit", "--base", "1", "-m", "second", "--key", "k2");
      const repeated = await vcs(small, "commit", "--base", "1", "-m", "second", "--key", "k2");
      writeFileSync(join(repository, "a.txt"), "uno\n");
      const met = await vcs(small, "commit", "--base", "1", "-m", "third", "--task", "t3", "a.txt");
      return [landed, repeated, met, await vcs(small, "stats"), await vcs(small, "gc", "--keep", "0")];
    });
    const check = await vcs(small, "fsck");
    const view = unwrap(await openVcsView(nodeHost(), join(box.root, "store")), "open");
    const stored = treeId(view.vcs.manifest(view.vcs.head()));
    await view.close();
    writeFileSync(join(repository, "a.txt"), "ONE\n");
    execFileSync("git", ["-C", repository, "add", "--all"]);
    const expected = execFileSync("git", ["-C", repository, "write-tree"], { encoding: "utf8" }).trim();
    expect({
      imported,
      outcomes: [first, second, again, other].map((ended) => [ended.exitCode, lastJson(ended).outcome]),
      stored,
      stats: lastJson(stats),
      removed: lastJson(gc).blobsRemoved,
      check: [check.exitCode, lastJson(check).faults, lastJson(check).records],
    }).toMatchObject({
      imported: { position: 1, files: 2, commit, tree },
      outcomes: [
        [0, { kind: "landed", position: 2, merged: [] }],
        [0, { kind: "landed", position: 3, merged: [] }],
        [0, { kind: "landed", position: 3, merged: [] }],
        [3, { kind: "conflict", position: 4, conflict: "c1", joined: false }],
      ],
      stored: expected,
      stats: {
        by: "server",
        position: 4,
        files: 2,
        commits: 2,
        conflictsFound: 1,
        conflictsResolved: 0,
        importedCommit: commit,
      },
      // `two\n` is shown by old positions alone; `one\n` is the conflict's base.
      removed: 1,
      check: [0, [], 5],
    });
  });

  test("S25 policies and limits of a server refuse with a reason, and a larger limit lets a large file through", async ({
    small,
  }) => {
    small.make();
    const { repository, box } = small;
    await vcs(small, "import");
    const policies = join(box.root, "policies.yaml");
    writeFileSync(policies, "frozen:\n  - paths: [a.txt]\n    reason: it is being split\nscopes:\n  t1: [src]\n");
    const large = Buffer.alloc(12 * 1024 * 1024, "skein");
    const [frozen, outside, reasoned, big] = await served(
      box,
      ["--policies", policies, "--max-file-mib", "16"],
      async () => {
        writeFileSync(join(repository, "a.txt"), "two\n");
        const refused = await vcs(small, "commit", "--base", "1", "-m", "m");
        writeFileSync(join(repository, "a.txt"), "one\n");
        writeFileSync(join(repository, "b.txt"), "b\n");
        const args = ["--base", "1", "-m", "m", "--task", "t1"];
        const left = await vcs(small, "commit", ...args);
        const given = await vcs(small, "commit", ...args, "--reason", "its caller breaks");
        writeFileSync(join(repository, "big.bin"), large);
        return [refused, left, given, await vcs(small, "commit", "--base", "head", "-m", "big")];
      },
    );
    const tooBig = await served(box, [], async () => {
      writeFileSync(join(repository, "bigger.bin"), large);
      writeFileSync(join(repository, "c.txt"), "c\n");
      return vcs(small, "commit", "--base", "head", "-m", "bigger");
    });
    const id = createHash("sha1").update(`blob ${large.length}\0`).update(large).digest("hex");
    const view = unwrap(await openVcsView(nodeHost(), join(box.root, "store")), "open");
    const whole = unwrap(await view.ledger.log.blob(asBlobId(id)), "blob");
    await view.close();
    expect([frozen, outside].map((ended) => [ended.exitCode, String(lastJson(ended).error).split(":")[0]])).toEqual([
      [1, "the commit was refused (frozen)"],
      [1, "the commit was refused (scope)"],
    ]);
    expect([reasoned, big].map((ended) => [ended.exitCode, lastJson(ended).outcome])).toMatchObject([
      [0, { kind: "landed" }],
      [0, { kind: "landed" }],
    ]);
    expect(Buffer.from(whole).equals(large)).toBe(true);
    expect([tooBig.exitCode, lastJson(tooBig).puts, tooBig.stderr]).toEqual([
      0,
      1,
      expect.stringContaining("not committed: bigger.bin: 12582912 bytes"),
    ]);
  });

  test("a flipped byte is found and named, by fsck and by whoever opens the store", async ({ small }) => {
    small.make();
    await vcs(small, "import");
    writeFileSync(join(small.repository, "b.txt"), "b\n");
    await vcs(small, "commit", "--base", "1", "-m", "m");
    const segments = join(small.box.root, "store", "segments");
    const [name = ""] = readdirSync(segments);
    const bytes = readFileSync(join(segments, name));
    const at = 200;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(segments, name), bytes);
    const [check, commit] = [await vcs(small, "fsck"), await vcs(small, "commit", "--base", "1", "-m", "m")];
    const faults = lastJson(check).faults as readonly { readonly file: string; readonly offset: number }[];
    expect([check.exitCode, faults.length > 0, faults[0]?.file, commit.exitCode, lastJson(commit).error]).toEqual([
      1,
      true,
      join(segments, name),
      1,
      expect.stringContaining("cannot be opened"),
    ]);
  });
});

describe("a copy of a store", () => {
  test("is written and read by itself while the one it was copied from is served", async ({ small }) => {
    small.make();
    const { repository, box } = small;
    await vcs(small, "import");
    const copy = join(box.root, "copy");
    const ofCopy = (command: string, ...args: string[]) =>
      skein(box, { args: ["vcs", command, "--store", copy, "--json", ...args], cwd: repository });
    const [stats, landed, original] = await served(box, [], async () => {
      cpSync(join(box.root, "store"), copy, { recursive: true });
      writeFileSync(join(repository, "b.txt"), "b\n");
      const commit = ["--base", "head", "-m", "m", "--key", "k"];
      return [await ofCopy("stats"), await ofCopy("commit", ...commit), await vcs(small, "stats")];
    });
    const again = await vcs(small, "import");
    const check = await ofCopy("fsck");
    expect([stats, landed, original].map((ended) => [ended.exitCode, lastJson(ended)])).toMatchObject([
      [0, { store: copy, by: "here", position: 1, files: 1 }],
      [0, { outcome: { kind: "landed", position: 2 } }],
      [0, { by: "server", position: 1, files: 1 }],
    ]);
    expect([check.exitCode, again.exitCode, lastJson(again).error]).toEqual([
      0,
      1,
      "the store has a tree already: it began with one at position 1",
    ]);
  });

  test("without its segments is damaged, not new", async ({ small }) => {
    small.make();
    const { box } = small;
    await vcs(small, "import");
    const segments = join(box.root, "store", "segments");
    for (const name of readdirSync(segments)) rmSync(join(segments, name));
    const answers = [await vcs(small, "fsck"), await vcs(small, "init", "--empty"), await vcs(small, "stats")];
    expect([answers.map((ended) => ended.exitCode), readdirSync(segments)]).toEqual([[1, 1, 1], []]);
  });
});

describe("what is committed by hand", () => {
  test("is what is named and nothing beside it; a name that is nowhere is an error, nothing new moves nothing", async ({
    small,
  }) => {
    small.make({ "a.txt": { kind: "file", bytes: "a\n" }, "d/e.txt": { kind: "file", bytes: "e\n" } });
    const { repository, box } = small;
    await vcs(small, "import");
    writeFileSync(join(repository, "a.txt"), "A\n");
    writeFileSync(join(repository, "d", "f.txt"), "f\n");
    const commit = (...args: string[]) => vcs(small, "commit", "--base", "head", "-m", "m", ...args);
    const answers = [
      await commit("d", "--key", "k1"),
      await commit("none.txt"),
      await commit("d"),
      await commit("--from", join(box.root, "nowhere")),
      await commit("--key", ""),
    ];
    const outcomes = answers.map((ended) => [ended.exitCode, lastJson(ended).outcome ?? lastJson(ended).error]);
    expect(outcomes).toEqual([
      [0, { kind: "landed", position: 2, merged: [] }],
      [2, `none.txt cannot be committed: it is neither in ${repository} nor in snapshot 2`],
      [0, { kind: "unchanged", position: 2 }],
      [2, expect.stringContaining(`the directory ${join(box.root, "nowhere")} cannot be read`)],
      [2, "--key is empty"],
    ]);
  });
});

describe("which store", () => {
  test("without a flag it is that of this repository's newest run", async ({ small }) => {
    small.make();
    const { box, repository } = small;
    const runs = join(box.state, "runs", repositoryKey(repository));
    for (const [id, file] of [
      ["20260101-000000-aaaa", "a.txt"],
      ["20260102-000000-bbbb", "b.txt"],
    ] as const) {
      mkdirSync(join(runs, id), { recursive: true });
      writeFileSync(join(repository, file), `${id}\n`);
      execFileSync("git", ["-C", repository, "add", "--all"]);
      execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@l", "commit", "-qm", id]);
      await skein(box, { args: ["vcs", "import", "--store", join(runs, id, "store")], cwd: repository });
    }
    const ask = (...args: string[]) => skein(box, { args: ["vcs", "stats", "--json", ...args], cwd: repository });
    const [newest, named] = [await ask(), await ask("--run", "aaaa")];
    expect([lastJson(newest), lastJson(named)]).toMatchObject([
      { store: join(runs, "20260102-000000-bbbb", "store"), files: 2 },
      { store: join(runs, "20260101-000000-aaaa", "store"), files: 1 },
    ]);
  });

  test("what is named badly is said so, and nothing is made", async ({ small }) => {
    small.make();
    const { box, repository } = small;
    const run = (cwd: string, ...args: string[]) => skein(box, { args: [...args, "--json"], cwd });
    const store = join(box.root, "nothing");
    const answers = [
      await run(repository, "vcs", "stats"),
      await run(box.root, "vcs", "stats"),
      await run(repository, "vcs", "stats", "--store", store),
      await run(repository, "serve", "--store", store, "--run", "x"),
      await run(repository, "vcs", "commit", "--base", "soon", "-m", "m"),
      await run(repository, "vcs", "stats", "--store", ""),
      await run(repository, "vcs", "import", "--store", store, "--commit", "none-such"),
    ];
    expect([answers.map((ended) => [ended.exitCode, lastJson(ended).error]), readdirSync(box.root)]).toEqual([
      [
        [2, `no swarm has run on ${repository} yet`],
        [2, `no store was named, and ${box.root} is not in a git repository`],
        [2, `there is no store in ${store}`],
        [2, "--store and --run were both given"],
        [2, expect.stringContaining('A position, or "head", is needed.')],
        [2, "--store is empty"],
        [2, `none-such: ${repository} has no commit of that name`],
      ],
      expect.not.arrayContaining(["nothing"]),
    ]);
  });
});
