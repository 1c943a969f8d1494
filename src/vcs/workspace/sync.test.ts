// What a sync touches on the real disk, and what it leaves alone.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asPosition, type RepoPath } from "../../base/ids.ts";
import { gone, made, put, type Tree } from "../../testing/git/made-workspace.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";

describe("sync", () => {
  test("brings every kind of difference and moves the position", async () => {
    using directory = temporaryDirectory();
    const { sync, scan, workspace, read, root } = await made(directory.path, {
      same: "same\n",
      edit: "1\n",
      gone: "1\n",
      "deep/er/gone": "1\n",
      mode: "m\n",
      f2d: "f\n",
      "d2f/x": "x\n",
      "d2f/y/z": "z\n",
      link: ["same", "120000"],
      sub: ["1234567890123456789012345678901234567890", "160000"],
    });
    const target: Tree = {
      same: "same\n",
      edit: "2\n",
      mode: ["m\n", "100755"],
      "f2d/in/ner": "n\n",
      d2f: "now a file\n",
      link: ["edit", "120000"],
      "new/dir/file": "new\n",
      "sub/file": "was a submodule\n",
    };
    const report = await sync(5, target);
    expect(report.overlaps).toEqual([]);
    expect([workspace.position, (await scan()).changes]).toEqual([5, []]);
    expect([read("edit"), read("f2d/in/ner"), read("d2f"), readlinkSync(join(root, "link")), read("sub/file")]).toEqual(
      ["2\n", "n\n", "now a file\n", "edit", "was a submodule\n"],
    );
    expect([existsSync(join(root, "deep")), (statSync(join(root, "mode")).mode & 0o111) !== 0]).toEqual([false, true]);
    expect([...report.updated].sort()).toEqual([
      "d2f",
      "d2f/x",
      "d2f/y/z",
      "deep/er/gone",
      "edit",
      "f2d",
      "f2d/in/ner",
      "gone",
      "link",
      "mode",
      "new/dir/file",
      "sub",
      "sub/file",
    ]);
  });

  test("leaves alone and names what the agent changed, added, deleted or put in the way", async () => {
    using directory = temporaryDirectory();
    const { sync, scan, workspace, run, read } = await made(directory.path, {
      edited: "1\n",
      deleted: "1\n",
      removed: "1\n",
      free: "1\n",
      "d/x": "x\n",
      both: "1\n",
      bothgone: "1\n",
    });
    run(
      "echo mine > edited; rm deleted; echo mine > removed; echo mine > added; echo mine > d/untracked; echo same > both; rm bothgone; echo f > parent",
    );
    const report = await sync(5, {
      edited: "theirs\n",
      deleted: "theirs\n",
      free: "theirs\n",
      added: "theirs\n",
      d: "a file\n",
      both: "same\n",
      "parent/child": "c\n",
    });
    expect({
      updated: [...report.updated].sort(),
      overlaps: [...report.overlaps].sort(),
      position: workspace.position,
    }).toEqual({
      updated: ["d/x", "free"],
      overlaps: ["added", "d", "deleted", "edited", "parent/child", "removed"],
      position: 1,
    });
    expect([read("edited"), read("free"), read("removed"), read("d/untracked")]).toEqual([
      "mine\n",
      "theirs\n",
      "mine\n",
      "mine\n",
    ]);
    expect((await scan()).changes).toEqual([
      put("added", "mine\n"),
      put("d/untracked", "mine\n"),
      gone("deleted"),
      put("edited", "mine\n"),
      put("parent", "f\n"),
      put("removed", "mine\n"),
    ]);
  });

  test("after a merged commit the tree has the merged text, and a later edit starts from it", async () => {
    using directory = temporaryDirectory();
    const { sync, scan, workspace, run } = await made(directory.path, { a: "1\n2\n3\n" });
    run("printf 'mine\\n2\\n3\\n' > a");
    workspace.committed((await scan()).changes);
    const report = await sync(4, { a: "mine\n2\ntheirs\n" });
    run("echo more >> a");
    expect([report, workspace.position, (await scan()).changes]).toEqual([
      { updated: ["a"], overlaps: [] },
      4,
      [put("a", "mine\n2\ntheirs\nmore\n")],
    ]);
  });

  test("S28 never writes or removes through a link of the tree", async () => {
    using directory = temporaryDirectory();
    const outside = join(directory.path, "outside");
    mkdirSync(join(outside, "sub"), { recursive: true });
    for (const name of ["file", "sub/file"]) writeFileSync(join(outside, name), "outside\n");
    const { sync, run, root } = await made(directory.path, {
      "link/file": "1\n",
      "a/sub/file": "1\n",
      tolink: [outside, "120000"],
      f: "1\n",
    });
    // The agent swaps directories for links; the head then changes, adds and deletes below them.
    run(`rm -r link a; ln -s '${outside}' link; ln -s '${outside}' a; rm f; ln -s '${outside}/file' f`);
    const report = await sync(2, {
      "link/file": "2\n",
      "link/new": "2\n",
      "a/new/deep": "2\n",
      "tolink/file": "2\n",
      f: "2\n",
    });
    expect([...report.overlaps].sort()).toEqual(["a/new/deep", "f", "link/file", "link/new"]);
    // Here the head itself replaced the link by a directory, and the link was untouched.
    expect([readFileSync(join(root, "tolink/file"), "utf8"), lstatSync(join(root, "tolink")).isSymbolicLink()]).toEqual(
      ["2\n", false],
    );
    expect(
      execFileSync("sh", ["-c", "find . -type f | sort | xargs cat; find . | sort"], { cwd: outside }).toString(),
    ).toBe("outside\noutside\n.\n./file\n./sub\n./sub/file\n");
  });

  test("a source that fails leaves the tree as it was", async () => {
    using directory = temporaryDirectory();
    const { workspace, read, scan } = await made(directory.path, { a: "1\n", b: "1\n" });
    const manifest = new Map([
      ["a" as RepoPath, { blob: blobId(Buffer.from("nobody has this")), mode: "100644" as const }],
    ]);
    const answer = await workspace.sync({ position: asPosition(9), manifest });
    expect([
      answer.ok ? null : answer.error.kind,
      workspace.position,
      read("a"),
      read("b"),
      (await scan()).changes,
    ]).toEqual(["blob", 1, "1\n", "1\n", []]);
  });
});
