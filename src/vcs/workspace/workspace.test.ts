// Making workspaces on the real disk: what comes out is what git has, and nothing is shared or left over.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asPosition, type BlobId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { gone, made, put, world } from "../../testing/git/made-workspace.ts";
import {
  blobSource,
  makeRepository,
  oddTree,
  git as plainGit,
  temporaryDirectory,
} from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";
import type { Git } from "../git/command.ts";
import { readTree } from "../git/import.ts";
import { readBlobs } from "../git/read-blobs.ts";
import { treeId } from "../tree-id.ts";
import { openBlobCache } from "./blob-cache.ts";
import { openGitBases } from "./git-bases.ts";
import { createWorkspace } from "./workspace.ts";

const { files, processes } = nodeHost();
const git: Git = { processes, path: process.env.PATH ?? "" };

describe("create", () => {
  test("S22 S24 S28 a 3,000-file repository comes out as git has it, and a scan gives its tree id", async () => {
    using directory = temporaryDirectory("skein ws .. 'é' ");
    const repository = `${directory.path}/a b/repo`;
    makeRepository(repository, oddTree());
    const head = plainGit(repository, ["rev-parse", "HEAD^{tree}"]);
    const { manifest, blobs: ids } = unwrap(await readTree(git, repository, "HEAD"), "tree");
    const contents = new Map<BlobId, Uint8Array>();
    for await (const batch of readBlobs({
      git,
      repository,
      ids,
      format: "sha1",
      batchBytesMax: 1e6,
      blobBytesMax: 1e6,
    })) {
      for (const { id, bytes } of unwrap(batch, "blobs")) contents.set(id, bytes);
    }
    const cache = openBlobCache({ files, directory: join(directory.path, "cache") });
    const workspace = unwrap(
      await createWorkspace({
        files,
        directory: join(directory.path, "w s/1"),
        snapshot: { position: asPosition(1), manifest },
        blobs: blobSource(contents),
        cache,
        git: { kind: "base", bases: openGitBases({ files, git, directory: join(directory.path, "w s/git") }) },
      }),
      "create",
    );
    expect(plainGit(workspace.root, ["rev-parse", "HEAD^{tree}"])).toBe(head);
    expect(plainGit(workspace.root, ["status", "--porcelain"])).toBe("");
    // Every file changed on the disk and found again: the same names come back, byte by byte.
    execFileSync(
      "sh",
      ["-c", "find . -path ./.git -prune -o -type f -exec sh -c 'for f; do echo more >> \"$f\"; done' _ {} +"],
      { cwd: workspace.root },
    );
    const { changes, skipped } = unwrap(await workspace.scan(), "scan");
    const edited = new Map(manifest);
    for (const change of changes)
      if (change.kind === "put") edited.set(change.path, { blob: change.blob, mode: change.mode });
    plainGit(workspace.root, ["add", "--all", "--force"]);
    expect([skipped, treeId(edited)]).toEqual([[], plainGit(workspace.root, ["write-tree"])]);
    unwrap(await workspace.remove(), "remove");
    expect(existsSync(join(directory.path, "w s/1"))).toBe(false);
  });

  test("the cache is for its owner alone, what is made from it has the rights of a checkout", async () => {
    using directory = temporaryDirectory();
    const { options, root } = await made(directory.path, { a: "shared\n", c: ["runs\n", "100755"] });
    const usual = join(directory.path, "usual");
    writeFileSync(usual, "");
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    const cached = options.cache.path(blobId(Buffer.from("shared\n")));
    const plain = modeOf(usual);
    expect([modeOf(dirname(cached)), modeOf(cached), modeOf(join(root, "a")), modeOf(join(root, "c"))]).toEqual([
      0o700,
      0o600,
      plain,
      plain | ((plain & 0o444) >> 2),
    ]);
  });

  test("four workspaces fetch a blob once, share no file, and survive a damaged cache", async () => {
    using directory = temporaryDirectory();
    const { options, asked, workspace, root } = await made(directory.path, {
      a: "shared\n",
      b: "shared\n",
      c: ["shared\n", "100755"],
    });
    const others = await Promise.all(
      [2, 3, 4].map((n) => createWorkspace({ ...options, directory: join(directory.path, `w${n}`) })),
    );
    appendFileSync(join(root, "a"), "mine\n");
    chmodSync(join(root, "b"), 0o755);
    const id = blobId(Buffer.from("shared\n"));
    expect([asked, others.every((other) => other.ok), readFileSync(options.cache.path(id), "utf8")]).toEqual([
      [id],
      true,
      "shared\n",
    ]);
    writeFileSync(options.cache.path(id), "damaged");
    const fresh = openBlobCache({ files, directory: join(directory.path, "cache") });
    const fifth = unwrap(
      await createWorkspace({ ...options, cache: fresh, directory: join(directory.path, "w5") }),
      "fifth",
    );
    expect([
      readFileSync(join(fifth.root, "a"), "utf8"),
      asked.length,
      statSync(join(fifth.root, "c")).mode & 0o111,
    ]).toEqual(["shared\n", 2, 0o111]);
    expect(workspace.root).not.toBe(fifth.root);
  });

  test("a tree with a link and files below it is refused and leaves nothing", async () => {
    using directory = temporaryDirectory();
    const outside = join(directory.path, "outside");
    mkdirSync(outside);
    const { blobs, manifest } = world();
    const cache = openBlobCache({ files, directory: join(directory.path, "cache") });
    const evil = manifest({ link: [outside, "120000"], "link/file": "evil\n" });
    const answer = await createWorkspace({
      files,
      directory: join(directory.path, "w"),
      snapshot: { position: asPosition(1), manifest: evil },
      blobs,
      cache,
    });
    expect([answer.ok, existsSync(join(outside, "file")), existsSync(join(directory.path, "w"))]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("a link no system can hold is named, and its absence is no deletion", async () => {
    using directory = temporaryDirectory();
    const { workspace, scan, sync, run } = await made(directory.path, { bad: ["\xff\xfe", "120000"], ok: "1\n" });
    expect([[...workspace.unsupported], (await scan()).changes]).toEqual([["bad"], []]);
    run("echo mine > bad");
    expect((await scan()).changes).toEqual([put("bad", "mine\n")]);
    run("rm bad");
    expect([await sync(2, { bad: "fine\n" }), [...workspace.unsupported]]).toEqual([
      { updated: ["ok", "bad"], overlaps: [] },
      [],
    ]);
  });

  test("an existing directory is not taken", async () => {
    using directory = temporaryDirectory();
    mkdirSync(join(directory.path, "w"));
    await expect(made(directory.path, {})).rejects.toThrow("exists");
    expect(existsSync(join(directory.path, "w"))).toBe(true);
  });

  test("an agent's git works on the workspace and never finds a repository around it", async () => {
    using directory = temporaryDirectory();
    makeRepository(directory.path, { user: { kind: "file", bytes: "x" } });
    const base = await made(
      directory.path,
      { "a.txt": "1\n" },
      {
        git: { kind: "base", bases: openGitBases({ files, git, directory: join(directory.path, "bases") }) },
      },
    );
    base.run("echo 2 > a.txt; echo n > n.txt");
    expect(plainGit(base.root, ["status", "--porcelain"])).toBe(" M a.txt\n?? n.txt");
    const empty = unwrap(
      await createWorkspace({ ...base.options, directory: join(directory.path, "e"), git: { kind: "empty" } }),
      "empty",
    );
    expect(plainGit(empty.root, ["rev-parse", "--show-toplevel"])).toBe(empty.root);
    base.run("git add -A && git -c user.name=a -c user.email=a@b commit -qm mine && git stash list");
    expect((await base.scan()).changes).toEqual([put("a.txt", "2\n"), put("n.txt", "n\n")]);
    rmSync(join(base.root, ".git"), { recursive: true });
    renameSync(join(base.root, "a.txt"), join(base.root, "z.txt"));
    symlinkSync("/etc", join(base.root, ".git"));
    expect((await base.scan()).changes).toEqual([gone("a.txt"), put("n.txt", "n\n"), put("z.txt", "2\n")]);
  });
});
