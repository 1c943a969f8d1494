// A repository that tries to run programs through git: every trap touches a file named after it.
// Plain git springs the traps, which proves that they are set; our operations spring none.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asAgentId, asPosition, asTaskId, type BlobId, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { blobSource, makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";
import { treeId } from "../tree-id.ts";
import type { LandedCommit } from "../types.ts";
import { openBlobCache } from "../workspace/blob-cache.ts";
import { openGitBases } from "../workspace/git-bases.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import { type Git, runGit } from "./command.ts";
import { exportBranch } from "./export.ts";
import { ignoreSources } from "./ignore-sources.ts";
import { readTree } from "./import.ts";
import { inspectRepository } from "./inspect.ts";
import { Mirror, type MirrorSource } from "./mirror.ts";
import { readBlobs } from "./read-blobs.ts";
import { readHistory } from "./read-history.ts";

const host = nodeHost();
const git: Git = { processes: host.processes, path: process.env.PATH ?? "" };
const directory = temporaryDirectory("skein hostile ");
const markers = join(directory.path, "markers");
const root = join(directory.path, "repository");
const hooks = [
  "reference-transaction",
  "post-index-change",
  "post-checkout",
  "post-commit",
  "pre-commit",
  "post-rewrite",
  "pre-auto-gc",
];

afterAll(() => directory[Symbol.dispose]());

/** A script that leaves its mark and lets git go on. */
function trap(name: string): string {
  const path = join(directory.path, `trap-${name}`);
  writeFileSync(path, `#!/bin/sh\ntouch "${join(markers, name)}"\nexit 0\n`);
  chmodSync(path, 0o755);
  return `'${path}'`;
}

function sprung(): string[] {
  return readdirSync(markers).sort();
}

/** A new time stamp for the same content: git then runs the clean filter to compare. */
function makeStatDirty(): void {
  for (const name of ["filtered.txt", "processed.txt", "equals.txt"])
    utimesSync(join(root, name), 1, 1_600_000_000 + Math.floor(performance.now()));
}

beforeEach(() => {
  rmSync(directory.path, { recursive: true, force: true });
  mkdirSync(markers, { recursive: true });
  const attributes = "filtered.txt filter=evil\nprocessed.txt filter=evil-process\nequals.txt filter=a=b.c\n";
  makeRepository(root, {
    ".gitattributes": { kind: "file", bytes: attributes },
    "filtered.txt": { kind: "file", bytes: "filtered\n" },
    "processed.txt": { kind: "file", bytes: "processed\n" },
    "equals.txt": { kind: "file", bytes: "equals\n" },
  });
  makeRepository(join(root, "sub"), { "in-sub.txt": { kind: "file", bytes: "sub\n" } });
  plainGit(root, ["add", "sub"]);
  plainGit(root, ["commit", "--quiet", "--message=Submodule"]);
  const config = (key: string, value: string) => plainGit(root, ["config", key, value]);
  for (const hook of hooks) {
    mkdirSync(join(root, ".git/hooks"), { recursive: true });
    writeFileSync(join(root, ".git/hooks", hook), `#!/bin/sh\ntouch "${markers}/${hook}"\n`, { mode: 0o755 });
  }
  config("core.fsmonitor", trap("fsmonitor"));
  plainGit(join(root, "sub"), ["config", "core.fsmonitor", trap("submodule-fsmonitor")]);
  config("filter.evil.clean", `${trap("clean")}; cat`);
  config("filter.evil.smudge", `${trap("smudge")}; cat`);
  config("filter.evil-process.process", trap("process"));
  config("filter.evil-process.required", "true");
  config("filter.a=b.c.clean", `${trap("clean-equals")}; cat`);
  for (const name of [
    "status",
    "ls-tree",
    "cat-file",
    "rev-parse",
    "fast-import",
    "update-ref",
    "log",
    "rev-list",
    "diff-tree",
  ])
    config(`alias.${name}`, `!${trap(`alias-${name}`)}`);
  for (const key of [
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "gpg.program",
    "diff.external",
    "credential.helper",
    "core.alternateRefsCommand",
  ]) {
    config(key, trap(key.replace(".", "-")));
  }
  config("protocol.allow", "always");
  config("protocol.ext.allow", "always");
  config("remote.origin.promisor", "true");
  config("remote.origin.url", "ssh://git@127.0.0.1/nothing");
  config("remote.other.promisor", "true");
  config("remote.other.url", `ext::${trap("ext-remote").slice(1, -1).replaceAll(" ", "% ")}`);
  config("remote.local.promisor", "true");
  config("remote.local.url", root);
  config("remote.local.uploadpack", trap("uploadpack"));
  config("trailer.separators", "%");
  config("log.showSignature", "true");
  config("core.repositoryFormatVersion", "1");
  config("extensions.partialClone", "origin");
  for (const name of sprung()) rmSync(join(markers, name));
  makeStatDirty();
});

describe("a hostile repository", () => {
  test("plain git springs the traps", () => {
    const attempt = (args: string[]) => {
      try {
        plainGit(root, args);
      } catch {
        // Several traps make git fail after they have sprung.
      }
    };
    attempt(["status", "--porcelain"]);
    attempt(["config", "--unset", "filter.evil-process.process"]);
    attempt(["config", "--unset", "filter.evil-process.required"]);
    makeStatDirty();
    attempt(["status", "--porcelain"]);
    attempt(["update-ref", "refs/heads/other", "HEAD"]);
    attempt(["cat-file", "-p", "0123456789012345678901234567890123456789"]);
    expect(sprung()).toEqual([
      "clean",
      "clean-equals",
      "core-sshCommand",
      "ext-remote",
      "fsmonitor",
      "post-index-change",
      "process",
      "reference-transaction",
      "submodule-fsmonitor",
      "uploadpack",
    ]);
  });

  test("none of our operations springs one", async () => {
    const info = unwrap(await inspectRepository({ git, files: host.files, path: root }), "inspect");
    const sources = await ignoreSources({ git, files: host.files, root, user: { home: directory.path } });
    const tree = unwrap(await readTree(git, root, info.headCommit), "tree");
    const contents = new Map<BlobId, Uint8Array>();
    const reading = { git, repository: root, format: "sha1", batchBytesMax: 1000, blobBytesMax: 1000 } as const;
    for await (const batch of readBlobs({ ...reading, ids: tree.blobs })) {
      for (const { id, bytes } of unwrap(batch, "blobs")) contents.set(id, bytes);
    }
    const absent = "0123456789012345678901234567890123456789" as BlobId;
    const missing = [];
    for await (const batch of readBlobs({ ...reading, ids: [absent] })) missing.push(batch.ok);
    const bytes = Buffer.from("new\n");
    const blob = blobId(bytes);
    const path = "new.txt" as RepoPath;
    const commit: LandedCommit = {
      position: asPosition(2),
      atMs: 1_700_000_000_000,
      author: { agent: asAgentId("a1"), task: asTaskId("t1") },
      message: "New file",
      base: asPosition(1),
      changes: [{ kind: "put", path, blob, mode: "100644" }],
      merged: [],
      resolves: null,
    };
    const manifest = new Map(tree.manifest).set(path, { blob, mode: "100644" });
    const exported = await exportBranch({
      git,
      repository: root,
      branch: "skein/run",
      parent: info.headCommit,
      commits: async function* () {
        yield commit;
      },
      blobs: blobSource(new Map([[blob, bytes]])),
      describe: () => ({ authorName: "a1", authorEmail: "a1@skein", trailers: [] }),
      expectedTree: treeId(manifest),
    });
    const history = await readHistory({ git, repository: root, tip: info.headCommit, format: "sha1", commits: null });
    const source: MirrorSource = {
      store: "a-store",
      objectFormat: "sha1",
      tip: { commit: info.headCommit, tree: info.headTree, position: asPosition(1) },
      head: async () => asPosition(2),
      manifest: async (at) => (at === 1 ? tree.manifest : manifest),
      history: async (from) => (from === 1 ? [commit] : []),
      blobs: blobSource(new Map([[blob, bytes]])),
    };
    const rounds: number[] = [];
    // The second goes on from what the first has made, though the repository would have trailers read otherwise.
    for (const _ of [1, 2]) {
      const mirror = unwrap(await Mirror.open({ git, repository: root, branch: "live", source }), "mirror");
      rounds.push(unwrap(await mirror.round(), "round").commits);
    }
    const cache = openBlobCache({ files: host.files, directory: join(directory.path, "cache") });
    const workspace = await createWorkspace({
      files: host.files,
      directory: join(directory.path, "workspace"),
      snapshot: { position: asPosition(1), manifest: tree.manifest },
      blobs: blobSource(contents),
      cache,
      git: {
        kind: "base",
        bases: openGitBases({ files: host.files, git, directory: join(directory.path, "bases") }),
      },
    });
    // Every file has a new time stamp and the same content, so nothing is dirty but what a filter would have said.
    expect({
      dirtyPaths: info.dirtyPaths,
      sources: sources.ok,
      missing,
      exported: exported.ok,
      history: history.ok && history.value.commits.length,
      rounds,
      workspace: workspace.ok,
      sprung: sprung(),
      branch: plainGit(root, ["-c", "core.hooksPath=/dev/null", "rev-parse", "skein/run^{tree}"]),
    }).toEqual({
      dirtyPaths: 0,
      sources: true,
      missing: [false],
      exported: true,
      history: 1,
      rounds: [1, 0],
      workspace: true,
      sprung: [],
      branch: treeId(manifest),
    });
  });

  test("an unreachable git and a killed one are errors, not answers", async () => {
    const aborted = new AbortController();
    aborted.abort();
    const killed = await runGit(git, { cwd: root, args: ["cat-file", "--batch"], signal: aborted.signal });
    const absent = await runGit({ ...git, path: "relative:/nonexistent" }, { cwd: root, args: ["status"] });
    expect([killed, absent]).toMatchObject([
      { ok: false, error: { kind: "git", exitCode: null, stderr: "killed by SIGKILL." } },
      { ok: false, error: { kind: "git", exitCode: null } },
    ]);
    expect(existsSync(markers)).toBe(true);
  });
});
