// An agent's own git in its workspace: plain git, run there as an agent would, is the measure.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asPosition } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { made, put, type Tree } from "../../testing/git/made-workspace.ts";
import { blobSource, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";
import type { Git } from "../git/command.ts";
import { treeId } from "../tree-id.ts";
import { openBlobCache } from "./blob-cache.ts";
import { openGitBases } from "./git-bases.ts";
import { createWorkspace } from "./workspace.ts";

const { files, processes } = nodeHost();
const git: Git = { processes, path: process.env.PATH ?? "" };

const based = async (at: string, tree: Tree) => {
  const bases = openGitBases({ files, git, directory: join(at, "bases") });
  const workspace = await made(at, tree, { git: { kind: "base", bases } });
  return { ...workspace, bases, git: (...args: string[]) => plainGit(workspace.root, args) };
};

describe("a workspace's git", () => {
  test("S29 lists, compares and logs the base", async () => {
    using directory = temporaryDirectory();
    const tree: Tree = {
      "a.txt": "1\n",
      "d/run.sh": ["#!/bin/sh\n", "100755"],
      "odd \u00e4\n": "odd\n",
      link: ["a.txt", "120000"],
      sub: ["1234567890123456789012345678901234567890", "160000"],
    };
    const { git, run, manifest } = await based(directory.path, tree);
    const clean = [git("status", "--porcelain"), git("rev-parse", "HEAD^{tree}"), git("diff-index", "HEAD")];
    run("echo 2 > a.txt; echo n > new.txt; rm d/run.sh");
    expect([
      clean,
      git("ls-files", "-z").split("\0").length - 1,
      git("status", "--porcelain").split("\n"),
      git("diff", "--stat", "--", "a.txt").split("\n").at(-1),
      git("log", "--format=%s"),
      git("fsck", "--strict"),
      git("show", "HEAD:a.txt"),
    ]).toEqual([
      ["", treeId(manifest(tree)), ""],
      5,
      [" M a.txt", " D d/run.sh", "?? new.txt"],
      " 1 file changed, 1 insertion(+), 1 deletion(-)",
      "Base of this workspace",
      "",
      "1",
    ]);
  });

  test("a SHA-256 tree keeps its id", async () => {
    using directory = temporaryDirectory();
    const bytes = Buffer.from("one\n");
    const blob = blobId(bytes, "sha256");
    const manifest = new Map((await made(directory.path, { "d/a": "x" })).manifest({ "d/a": "x" }));
    for (const path of manifest.keys()) manifest.set(path, { blob, mode: "100644" });
    const bases = openGitBases({ files, git, directory: join(directory.path, "bases") });
    const { root } = unwrap(
      await createWorkspace({
        files,
        directory: join(directory.path, "w256"),
        snapshot: { position: asPosition(1), manifest },
        blobs: blobSource(new Map([[blob, bytes]])),
        cache: openBlobCache({ files, directory: join(directory.path, "cache") }),
        git: { kind: "base", bases },
      }),
      "create",
    );
    expect([
      plainGit(root, ["rev-parse", "HEAD^{tree}"]),
      plainGit(root, ["status", "--porcelain"]),
      plainGit(root, ["show", "HEAD:d/a"]),
    ]).toEqual([treeId(manifest, "sha256"), "", "one"]);
  });

  test("attributes of the tree do not make unchanged files look changed, nor start a filter", async () => {
    using directory = temporaryDirectory();
    const attributes = "*.txt text eol=lf\nf.txt filter=evil\n$Id.txt ident\n";
    const tree = { ".gitattributes": attributes, "crlf.txt": "1\r\n2\r\n", "f.txt": "f\n", "$Id.txt": "$Id$\n" };
    const { root, git, run } = await based(directory.path, tree);
    const marker = join(directory.path, "sprung");
    const evil = ["-c", `filter.evil.clean=touch '${marker}'; cat`, "-c", "filter.evil.required=true"];
    run("touch -d '2020-01-01' *.txt");
    const status = plainGit(root, [...evil, "status", "--porcelain"]);
    run("printf '3\\r\\n' >> crlf.txt");
    expect([status, git("diff", "--numstat"), existsSync(marker)]).toEqual(["", "1\t0\tcrlf.txt", false]);
  });

  test("after a sync only the agent's own changes are shown, and nothing the agent configured is run", async () => {
    using directory = temporaryDirectory();
    const { root, workspace, git, run, sync, scan } = await based(directory.path, { "a.txt": "1\n", "b.txt": "1\n" });
    const traps = join(directory.path, "traps");
    mkdirSync(traps);
    const trap = (name: string) => `touch ${join(traps, name)}`;
    git("config", "core.fsmonitor", trap("fsmonitor"));
    git("config", "filter.evil.clean", `${trap("clean")}; cat`);
    mkdirSync(join(root, ".git/hooks"));
    for (const hook of ["post-index-change", "reference-transaction"])
      writeFileSync(join(root, ".git/hooks", hook), `#!/bin/sh\n${trap(hook)}\n`, { mode: 0o755 });
    writeFileSync(join(root, ".git/info/attributes"), "* filter=evil\n");
    run("echo 2 > a.txt");
    workspace.committed((await scan()).changes);
    run("echo mine > own.txt");
    await sync(2, { "a.txt": "2\n", "b.txt": "theirs\n" });
    const sprung = readdirSync(traps);
    expect([
      sprung,
      plainGit(root, ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status", "--porcelain"]),
      plainGit(root, ["-c", "core.fsmonitor=false", "log", "--format=%s"]),
      (await scan()).changes,
    ]).toEqual([[], "?? own.txt", "Base of this workspace", [put("own.txt", "mine\n")]]);
  });

  test("a repository in which the agent committed, or that it replaced, stays the agent's", async () => {
    using directory = temporaryDirectory();
    const { root, git, run, sync } = await based(directory.path, { "a.txt": "1\n" });
    run("echo 2 > a.txt; git -c user.name=a -c user.email=a@b commit -qam mine");
    const head = git("rev-parse", "HEAD");
    await sync(2, { "a.txt": "1\n", "b.txt": "theirs\n" });
    const kept = [git("rev-parse", "HEAD"), git("status", "--porcelain")];
    const outside = join(directory.path, "outside");
    run(`mv .git '${outside}'`);
    symlinkSync(outside, join(root, ".git"));
    const before = readFileSync(join(outside, "index"));
    await sync(3, { "a.txt": "1\n", "b.txt": "again\n" });
    expect([kept, readFileSync(join(outside, "index")).equals(before)]).toEqual([[head, "?? b.txt"], true]);
  });

  test("the shared objects go with the last workspace, and stay for one that is kept", async () => {
    using directory = temporaryDirectory();
    const { path } = directory;
    const bases = openGitBases({ files, git, directory: join(path, "workspaces/bases") });
    const { options, manifest } = await made(path, { a: "1\n" });
    const open = async (name: string, tree: Tree) =>
      unwrap(
        await createWorkspace({
          ...options,
          directory: join(path, "workspaces", name),
          snapshot: { position: asPosition(1), manifest: manifest(tree) },
          git: { kind: "base", bases },
        }),
        name,
      );
    const [one, two] = await Promise.all([open("w1", { a: "1\n" }), open("w2", { a: "1\n", b: "2\n" })]);
    unwrap(await one.remove(), "remove");
    await bases.close();
    const kept = plainGit(two.root, ["show", "HEAD:b"]);
    unwrap(await two.remove(), "remove");
    await bases.close();
    expect([kept, readdirSync(join(path, "workspaces"))]).toEqual(["2", []]);
  });
});
