// Reading a repository: what comes in is what git has, byte by byte, or is refused by name.

import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import type { BlobId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { makeRepository, oddTree, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import type { Git } from "./command.ts";
import { readTree, verifyTree } from "./import.ts";
import { inspectRepository } from "./inspect.ts";
import { type ReadBlobsOptions, readBlobs } from "./read-blobs.ts";

const git: Git = { processes: nodeHost().processes, path: process.env.PATH ?? "" };
const limits = { batchBytesMax: 64 * 1024, blobBytesMax: 1024 * 1024, format: "sha1" } as const;

async function collect(options: Omit<ReadBlobsOptions, "git">) {
  const contents = new Map<BlobId, Uint8Array>();
  const batchBytes: number[] = [];
  for await (const batch of readBlobs({ git, ...options })) {
    if (!batch.ok) return batch.error;
    batchBytes.push(batch.value.reduce((sum, blob) => sum + blob.bytes.length, 0));
    for (const { id, bytes } of batch.value) contents.set(id, bytes);
  }
  return { contents, batchBytes };
}

describe("import", () => {
  test("S22 S24 S28 3,000 files with odd names, links, binaries and CRLF come in as git has them", async () => {
    using directory = temporaryDirectory("skein import .. 'é' ");
    const root = `${directory.path}/a b/..c`;
    makeRepository(root, oddTree());
    const info = unwrap(await inspectRepository({ git, files: nodeHost().files, path: root }), "inspect");
    const tree = unwrap(await readTree(git, root, info.headCommit), "tree");
    const read = await collect({ repository: root, ids: tree.blobs, ...limits });
    expect(info.headTree).toBe(plainGit(root, ["rev-parse", "HEAD^{tree}"]));
    expect(verifyTree(tree.manifest, info.headTree, "sha1")).toEqual({ ok: true, value: undefined });
    const expected = new Map(
      Object.entries(oddTree()).map(([path, spec]) => [
        path,
        Buffer.from(spec.kind === "link" ? spec.target : spec.bytes),
      ]),
    );
    if (!("contents" in read)) throw new Error(JSON.stringify(read));
    const actual = new Map(
      [...tree.manifest].map(([path, entry]) => [path as string, Buffer.from(read.contents.get(entry.blob)!)]),
    );
    expect(new Map([...actual].sort())).toEqual(new Map([...expected].sort()));
    // One blob passes the batch's size and comes alone.
    expect(read.batchBytes.filter((bytes) => bytes > limits.batchBytesMax)).toEqual([70_000]);
  });

  test("a SHA-256 repository keeps its ids", async () => {
    using directory = temporaryDirectory();
    makeRepository(directory.path, { "a/b.txt": { kind: "file", bytes: "hello\n" } }, { format: "sha256" });
    const info = unwrap(await inspectRepository({ git, files: nodeHost().files, path: directory.path }), "inspect");
    const tree = unwrap(await readTree(git, directory.path, info.headCommit), "tree");
    const read = await collect({ repository: directory.path, ids: tree.blobs, ...limits, format: "sha256" });
    expect({
      format: info.objectFormat,
      verified: verifyTree(tree.manifest, info.headTree, "sha256").ok,
      read,
    }).toEqual({
      format: "sha256",
      verified: true,
      read: { contents: new Map([[tree.blobs[0], new Uint8Array(Buffer.from("hello\n"))]]), batchBytes: [6] },
    });
  });

  test("S24 a submodule is carried without a blob", async () => {
    using directory = temporaryDirectory();
    makeRepository(directory.path, { a: { kind: "file", bytes: "a" } });
    const commit = "1234567890123456789012345678901234567890";
    plainGit(directory.path, ["update-index", "--add", "--cacheinfo", `160000,${commit},lib/sub`]);
    plainGit(directory.path, ["commit", "--quiet", "--message=Submodule"]);
    const tree = unwrap(await readTree(git, directory.path, "HEAD"), "tree");
    expect([[...tree.manifest].at(-1), tree.blobs.length]).toEqual([["lib/sub", { blob: commit, mode: "160000" }], 1]);
    expect(verifyTree(tree.manifest, plainGit(directory.path, ["rev-parse", "HEAD^{tree}"]), "sha1").ok).toBe(true);
  });

  test("S22 names that are not UTF-8, and trees with one name twice, are refused by name", async () => {
    using directory = temporaryDirectory();
    makeRepository(directory.path, { "ok.txt": { kind: "file", bytes: "x" } });
    const blob = plainGit(directory.path, ["rev-parse", "HEAD:ok.txt"]);
    const inner = plainGit(directory.path, ["mktree"], { input: `100644 blob ${blob}\tpasswd\n` });
    const raw = (mode: string, name: Buffer, id: string) =>
      Buffer.concat([Buffer.from(`${mode} `), name, Buffer.from([0]), Buffer.from(id, "hex")]);
    const body = Buffer.concat([
      raw("100644", Buffer.from([0x62, 0xff, 0x2e]), blob),
      raw("120000", Buffer.from("link"), blob),
      raw("40000", Buffer.from("link"), inner),
      raw("100664", Buffer.from("old-mode"), blob),
    ]);
    const tree = plainGit(directory.path, ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], {
      input: body,
    });
    const commit = plainGit(directory.path, ["commit-tree", tree, "-m", "bad"]);
    expect(await readTree(git, directory.path, commit)).toEqual({
      ok: false,
      error: {
        kind: "refused-paths",
        paths: [
          { path: "b\\xff.", reason: "the name is not UTF-8" },
          { path: "link", reason: "the tree has it as a file and as a directory" },
        ],
        count: 2,
      },
    });
  });

  test("a missing and a large blob end the reading with that reason", async () => {
    using directory = temporaryDirectory();
    makeRepository(directory.path, { big: { kind: "file", bytes: "x".repeat(5_000) } });
    const { blobs } = unwrap(await readTree(git, directory.path, "HEAD"), "tree");
    const missing = "0123456789012345678901234567890123456789" as BlobId;
    const tooLarge = await collect({ repository: directory.path, ids: blobs, ...limits, blobBytesMax: 4_999 });
    const absent = await collect({ repository: directory.path, ids: [missing, ...blobs], ...limits });
    expect([tooLarge, absent]).toEqual([
      { kind: "blob-too-large", id: blobs[0], bytes: 5_000, bytesMax: 4_999 },
      { kind: "missing-blob", id: missing },
    ]);
  });
});
