// A directory copied, changed on both sides and merged back, on the real disk: what git merges is merged to the same bytes, what both
// sides changed stays as it was and is named, and nothing is written through a link.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asPosition } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { openBlobCache } from "./blob-cache.ts";
import { openLooks } from "./looks.ts";
import { mergeBack } from "./merge-back.ts";
import { openPlace } from "./place.ts";
import { snapshotTree } from "./snapshot-tree.ts";
import { createWorkspace } from "./workspace.ts";

const { files } = nodeHost();
let at: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(join(tmpdir(), "skein-merge-back-")));
});
afterEach(() => rmSync(at, { recursive: true, force: true }));

const sh = (cwd: string, script: string) => execFileSync("sh", ["-ec", script], { cwd, stdio: "pipe" }).toString();
const show = (root: string, path: string) => readFileSync(join(root, path), "utf8");

/** A directory made by a script, its copy changed by `theirs`, itself changed by `ours` after the copy, and the copy merged back. */
async function mergedBack(scripts: { readonly made: string; readonly ours: string; readonly theirs: string }) {
  const root = join(at, "root");
  sh(at, "mkdir root scratch now");
  sh(root, scripts.made);
  const cache = openBlobCache({ files, directory: join(at, "blobs") });
  const looks = openLooks({ files, root, fileBytesMax: 1_000_000, idFormat: "sha1" });
  const atMs = unwrap(await openPlace({ files, root, scratch: join(at, "now"), cache }).now(), "now");
  const options = { files, root, looks, cache, atMs, ignoreTexts: [], tracked: new Map(), filesMax: 1_000 };
  const { manifest, skipped } = unwrap(await snapshotTree(options), "snapshot");
  const workspace = unwrap(
    await createWorkspace({
      files,
      directory: join(at, "copy"),
      snapshot: { position: asPosition(1), manifest },
      blobs: { get: async () => [] },
      cache,
      git: { kind: "none" },
    }),
    "create",
  );
  const copied = sh(workspace.root, "find . -type f -o -type l | sort");
  sh(workspace.root, scripts.theirs);
  sh(root, scripts.ours);
  const { changes, blobs } = unwrap(await workspace.scan(), "scan");
  const scratch = join(at, "scratch");
  const report = unwrap(
    await mergeBack({ files, root, scratch, looks, cache, base: manifest, changes, blobs }),
    "merge",
  );
  return { root, report, copied, skipped, tree: sh(root, "find . -type f -o -type l | sort").split("\n").slice(0, -1) };
}

const lines = "for n in 1 2 3 4 5 6 7 8 9; do echo line $n; done > text";

test("changes of both sides in one file are merged as git merges them, others are taken, and the report names each", async () => {
  const { root, report, tree } = await mergedBack({
    made: `${lines}; mkdir d; echo old > d/gone; echo same > same; echo x > run; ln -s text link`,
    ours: "sed -i 's/line 1/ours 1/' text; echo same2 > same; echo mine > mine",
    theirs:
      "sed -i 's/line 9/theirs 9/' text; rm d/gone; echo same2 > same; chmod +x run; mkdir e; echo new > e/new; ln -sfn run link",
  });
  sh(
    at,
    `mkdir m; cd m; ${lines}; cp text base; sed 's/line 1/ours 1/' base > ours; sed 's/line 9/theirs 9/' base > theirs`,
  );
  const byGit = sh(join(at, "m"), "git merge-file -p ours base theirs");
  expect({
    report,
    text: show(root, "text"),
    tree,
    run: sh(root, "test -x run && echo yes"),
    link: sh(root, "readlink link"),
  }).toEqual({
    report: { brought: ["d/gone", "e/new", "link", "run", "same", "text"], merged: ["text"], conflicts: [] },
    text: byGit,
    tree: ["./e/new", "./link", "./mine", "./run", "./same", "./text"],
    run: "yes\n",
    link: "run\n",
  });
});

test("what both sides changed alike or in the same lines stays as it was there, and the rest is brought", async () => {
  const { root, report } = await mergedBack({
    made: `${lines}; echo a > removed-there; echo a > removed-here; printf 'a\\0b' > binary; echo ok > other`,
    ours: "sed -i 's/line 5/ours 5/' text; echo mine > removed-there; rm removed-here; printf 'o\\0b' > binary; echo mine > added; mkdir dir; echo in > dir/in",
    theirs:
      "sed -i 's/line 5/theirs 5/' text; rm removed-there; echo b > removed-here; printf 't\\0b' > binary; echo theirs > added; echo file > dir; echo better > other",
  });
  const kept = ["text", "removed-there", "added", "dir/in"].map((path) => show(root, path));
  expect({
    conflicts: report.conflicts.map(({ path, reason }) => [path, reason]),
    brought: report.brought,
    kept,
    other: show(root, "other"),
  }).toEqual({
    conflicts: [
      ["added", "it was added on both sides, differently"],
      ["binary", "both sides changed it, and it is binary"],
      ["dir", "there is a directory of that name here"],
      ["removed-here", "it was removed here and changed there"],
      ["removed-there", "it was changed here and removed there"],
      ["text", "both sides changed the same lines"],
    ],
    brought: ["other"],
    kept: [show(root, "text"), "mine\n", "mine\n", "in\n"],
    other: "better\n",
  });
  expect(show(root, "text")).toContain("ours 5");
});

test("what the copy made another kind of thing comes whole, as git would take it", async () => {
  const theirs =
    "rm -r d/e; echo file > d/e; rm a; mkdir a; echo in > a/in; mv dir real; ln -s real dir; rm lnk; mkdir lnk; echo x > lnk/x";
  const made =
    "mkdir -p d/e/f dir; echo x > d/e/x; echo y > d/e/f/y; echo a > a; echo one > dir/one; ln -s a lnk; echo o > other";
  const { root, report, tree } = await mergedBack({ made, ours: "echo mine > other", theirs });
  sh(at, "mkdir plain");
  sh(join(at, "plain"), `${made}; ${theirs}; echo mine > other`);
  expect([report.conflicts, tree, sh(root, "readlink dir")]).toEqual([
    [],
    sh(join(at, "plain"), "find . -type f -o -type l | sort").split("\n").slice(0, -1),
    "real\n",
  ]);
});

test("where the new kind cannot come, the old stays as it was", async () => {
  const { root, report } = await mergedBack({
    made: "mkdir -p d/e h/in; echo x > d/e/x; echo y > d/e/y; echo a > a; echo b > b; echo h > h/in/h",
    ours: "echo mine > d/e/x; echo new > d/e/mine; echo mine > a; mkdir -p h/in/empty",
    theirs:
      "rm -r d/e; echo file > d/e; rm -r h; echo file > h; rm a; mkdir a; echo in > a/in; echo out > a/out; echo better > b",
  });
  expect({
    conflicts: report.conflicts.map(({ path, reason }) => [path, reason]),
    brought: report.brought,
    tree: sh(root, "find . -type f | sort | xargs grep -H ''").trim().split("\n"),
  }).toEqual({
    conflicts: [
      ["a", "it was changed here and removed there"],
      ["a/in", "a directory above it is a file or a link here"],
      ["a/out", "a directory above it is a file or a link here"],
      ["d/e", "there is a directory of that name here"],
      ["d/e/x", "it was changed here and removed there"],
      ["d/e/y", "it goes with d/e, which could not be brought"],
      ["h", "there is a directory of that name here"],
      ["h/in/h", "it goes with h, which could not be brought"],
    ],
    brought: ["b"],
    tree: ["./a:mine", "./b:better", "./d/e/mine:new", "./d/e/x:mine", "./d/e/y:y", "./h/in/h:h"],
  });
});

test("nothing is written through a link that came in the way", async () => {
  sh(at, "mkdir outside; echo theirs > outside/file");
  const { report } = await mergedBack({
    made: "mkdir d; echo a > d/file",
    ours: `rm -r d; ln -s ${join(at, "outside")} d`,
    theirs: "echo b > d/file",
  });
  expect([report.conflicts.map(({ path, reason }) => [path, reason]), show(at, "outside/file")]).toEqual([
    [["d/file", "a directory above it is a file or a link here"]],
    "theirs\n",
  ]);
});

test("a copy has what the tree's ignore files leave, links included; what cannot be taken is named", async () => {
  const { copied, skipped } = await mergedBack({
    made: "echo a > a; ln -s a link; echo out > .gitignore; mkdir out; echo o > out/o; mkfifo pipe; mkdir sub; git init -q sub; echo s > sub/s; head -c 1000001 /dev/zero > large",
    ours: "true",
    theirs: "true",
  });
  expect([copied, skipped.map(({ path, reason }) => [path, reason]).toSorted()]).toEqual([
    "./.gitignore\n./a\n./link\n",
    [
      ["large", "too-large"],
      ["pipe", "special-file"],
      ["sub", "nested-repository"],
    ],
  ]);
});
