// Writing a branch: git's own reading of it (log, diff, fsck, trees) is the measure.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asAgentId, asBlobId, asPosition, asTaskId, type BlobId, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import {
  blobSource,
  type FileSpec,
  makeRepository,
  oddTree,
  git as plainGit,
  temporaryDirectory,
} from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";
import { treeId } from "../tree-id.ts";
import type { BlobSource, Change, Entry, LandedCommit, Mode } from "../types.ts";
import type { Git } from "./command.ts";
import { type ExportOptions, exportBranch } from "./export.ts";
import { readTree } from "./import.ts";

const git: Git = { processes: nodeHost().processes, path: process.env.PATH ?? "" };
const utf8 = (latin1: string) => Buffer.from(latin1, "latin1").toString("utf8");

type Edit = readonly [path: string, content: string | Uint8Array | null, mode?: Mode];

/** Commits made by hand, with the manifest and the blobs they lead to. */
function history(start: ReadonlyMap<RepoPath, Entry>, commits: readonly { message: string; edits: readonly Edit[] }[]) {
  const manifest = new Map(start);
  const contents = new Map<BlobId, Uint8Array>();
  const landed = commits.map(({ message, edits }, index): LandedCommit => {
    const changes = edits.map(([text, content, mode = "100644"]): Change => {
      const path = text as RepoPath;
      if (content === null) return { kind: "delete", path };
      const bytes = Buffer.from(content);
      const blob = mode === "160000" ? asBlobId(bytes.toString()) : blobId(bytes);
      contents.set(blob, bytes);
      return { kind: "put", path, blob, mode };
    });
    for (const change of changes) {
      if (change.kind === "put") manifest.set(change.path, { blob: change.blob, mode: change.mode });
      else manifest.delete(change.path);
    }
    return {
      position: asPosition(index + 2),
      atMs: 1_700_000_000_999 + index * 60_000,
      author: { agent: asAgentId("a1"), task: asTaskId("t3") },
      message,
      base: asPosition(index + 1),
      changes,
      merged: [],
      resolves: null,
    };
  });
  return { manifest, contents, landed };
}

async function* each(commits: readonly LandedCommit[]): AsyncGenerator<LandedCommit> {
  yield* commits;
}

async function prepared(
  root: string,
  files: Record<string, FileSpec>,
  commits: readonly { message: string; edits: readonly Edit[] }[],
) {
  makeRepository(root, files);
  const base = unwrap(await readTree(git, root, "HEAD"), "tree");
  const made = history(base.manifest, commits);
  const options: ExportOptions = {
    git,
    repository: root,
    branch: "skein/run-1",
    parent: plainGit(root, ["rev-parse", "HEAD"]),
    commits: () => each(made.landed),
    blobs: blobSource(made.contents),
    describe: ({ author, position }) => ({
      authorName: `Agent ${author.agent}`,
      authorEmail: `${author.agent}@skein.invalid`,
      trailers: [
        ["Skein-Task", author.task],
        ["Skein-Position", String(position)],
      ],
    }),
    expectedTree: treeId(made.manifest),
  };
  return { ...made, options };
}

/** Everything of a repository that an export must not touch. */
function untouched(root: string) {
  return {
    head: readFileSync(join(root, ".git/HEAD"), "utf8"),
    index: readFileSync(join(root, ".git/index")).toString("hex"),
    files: readdirSync(root).sort(),
    status: plainGit(root, ["status", "--porcelain"]),
    refs: plainGit(root, ["for-each-ref", "--format=%(refname) %(objectname)"])
      .split("\n")
      .filter((line) => !line.includes("refs/heads/skein/")),
    config: readFileSync(join(root, ".git/config"), "utf8"),
  };
}

const simple = { "a.txt": { kind: "file", bytes: "one\n" } } as const;

describe("export", () => {
  test("S22 S24 S28 commits over a 3,000-file tree: log, trees, diff and fsck are git's", async () => {
    using directory = temporaryDirectory("skein export .. 'é' ");
    const root = `${directory.path}/r p`;
    const names = Object.keys(oddTree()).filter((name) => name.startsWith("odd/") && !name.startsWith("odd/link"));
    const commits = [
      { message: "Edit every odd name", edits: names.map((name): Edit => [name, `edited ${name}\r\n`]) },
      {
        message: "Modes, links, binary\n\nWith a body.\nTwo lines.  \n\n",
        edits: [
          ["crlf.txt", "one\r\ntwo changed\r\n", "100755"],
          ["link-outside", "../../../etc/passwd", "120000"],
          ["binary.bin", Uint8Array.from([0, 255, 10, 13, 0])],
          ["lib/sub", "1234567890123456789012345678901234567890", "160000"],
        ],
      },
      { message: "Delete every odd name", edits: names.map((name): Edit => [name, null]) },
    ] satisfies { message: string; edits: Edit[] }[];
    const { options, manifest } = await prepared(root, oddTree(), commits);
    const before = untouched(root);
    const exported = unwrap(await exportBranch(options), "export");
    const log = utf8(
      plainGit(root, [
        "log",
        "--reverse",
        "--format=%an|%ae|%at|%ct|%s|%b|%(trailers:unfold,separator=%x2C)|",
        `${options.parent}..skein/run-1`,
      ]),
    );
    expect(log).toBe(
      [
        "Agent a1|a1@skein.invalid|1700000000|1700000000|Edit every odd name|Skein-Task: t3\nSkein-Position: 2\n|Skein-Task: t3,Skein-Position: 2|",
        "Agent a1|a1@skein.invalid|1700000060|1700000060|Modes, links, binary|With a body.\nTwo lines.\n\nSkein-Task: t3\nSkein-Position: 3\n|Skein-Task: t3,Skein-Position: 3|",
        "Agent a1|a1@skein.invalid|1700000120|1700000120|Delete every odd name|Skein-Task: t3\nSkein-Position: 4\n|Skein-Task: t3,Skein-Position: 4|",
      ].join("\n"),
    );
    const raw = utf8(plainGit(root, ["diff", "--name-only", "-z", `${options.parent}`, "skein/run-1~2"]));
    expect(raw.split("\0").filter(Boolean).sort()).toEqual([...names].sort());
    expect(plainGit(root, ["rev-parse", "skein/run-1^{tree}"])).toBe(treeId(manifest));
    expect(plainGit(root, ["cat-file", "blob", "skein/run-1:crlf.txt"])).toBe("one\r\ntwo changed\r");
    expect(plainGit(root, ["fsck", "--strict", "--no-progress"])).toBe("");
    expect(exported).toEqual({
      branch: "skein/run-1",
      commit: plainGit(root, ["rev-parse", "skein/run-1"]),
      commits: 3,
    });
    expect(untouched(root)).toEqual(before);
  });

  test("S22 a file becomes a directory and back within single commits", async () => {
    using directory = temporaryDirectory();
    const files = {
      x: { kind: "file", bytes: "file\n" },
      "d/a/b": { kind: "file", bytes: "b\n" },
      "d/c": { kind: "file", bytes: "c\n" },
    } as const;
    const { options, manifest } = await prepared(directory.path, files, [
      {
        message: "file to directory",
        edits: [
          ["x/y/z", "z\n"],
          ["x", null],
        ],
      },
      {
        message: "directory to file",
        edits: [
          ["d", "now a file\n"],
          ["d/c", null],
          ["d/a/b", null],
        ],
      },
      {
        message: "and back",
        edits: [
          ["x", "file again\n"],
          ["x/y/z", null],
          ["d/c", "link", "120000"],
          ["d", null],
        ],
      },
    ]);
    unwrap(await exportBranch(options), "export");
    expect(plainGit(directory.path, ["rev-parse", "skein/run-1^{tree}"])).toBe(treeId(manifest));
    expect(plainGit(directory.path, ["ls-tree", "-r", "--name-only", "skein/run-1~1"])).toBe("d\nx/y/z");
    expect(plainGit(directory.path, ["ls-tree", "-r", "--name-only", "skein/run-1"])).toBe("d/c\nx");
  });

  test("a blob that the source has no more is git's where git has it; a new one is asked for once", async () => {
    using directory = temporaryDirectory();
    const { options, contents } = await prepared(directory.path, simple, [
      {
        message: "copy",
        edits: [
          ["copy.txt", "one\n"],
          ["new.txt", "new\n"],
        ],
      },
      { message: "again", edits: [["again.txt", "new\n"]] },
    ]);
    const [old, fresh] = [blobId(Buffer.from("one\n")), blobId(Buffer.from("new\n"))];
    const asked: (readonly BlobId[])[] = [];
    const source = blobSource(contents);
    const collected: BlobSource = {
      async get(ids) {
        asked.push(ids);
        if (ids.includes(old)) throw new Error(`the store has no content ${old}`);
        return source.get(ids);
      },
    };
    unwrap(await exportBranch({ ...options, blobs: collected }), "export");
    expect(asked).toEqual([[old, fresh], [fresh]]);
    const shown = plainGit(directory.path, [
      "show",
      "skein/run-1:copy.txt",
      "skein/run-1:new.txt",
      "skein/run-1:again.txt",
    ]);
    expect(shown).toBe("one\nnew\nnew");
  });

  test("a message of any kind stays one message, and an author one author", async () => {
    using directory = temporaryDirectory();
    const { options } = await prepared(directory.path, simple, [
      { message: "  \u0000 \n\n ", edits: [["a.txt", "two\n"]] },
      { message: "data 5\ncommit refs/heads/evil\nfrom x\n\u001b[31mred", edits: [["a.txt", "three\n"]] },
      { message: "", edits: [["a.txt", "four\n"]] },
    ]);
    const describe: ExportOptions["describe"] = () => ({
      authorName: "<evil>\nauthor x <y> 1 +0000",
      authorEmail: "<>",
      trailers: [["Skein Task:", "t1\nfrom x"]],
    });
    unwrap(await exportBranch({ ...options, describe }), "export");
    expect(
      utf8(plainGit(directory.path, ["log", "--reverse", "--format=%an|%ae|%B|", `${options.parent}..skein/run-1`])),
    ).toBe(
      [
        "evil author x y 1 +0000|unknown|\ufffd\n\nSkein-Task-: t1 from x\n|",
        "evil author x y 1 +0000|unknown|data 5\ncommit refs/heads/evil\nfrom x\n\ufffd[31mred\n\nSkein-Task-: t1 from x\n|",
        "evil author x y 1 +0000|unknown|(no message)\n\nSkein-Task-: t1 from x\n|",
      ].join("\n"),
    );
    expect(plainGit(directory.path, ["fsck", "--strict", "--no-progress"])).toBe("");
  });

  test("a repeated and a continued export move the same branch on", async () => {
    using directory = temporaryDirectory();
    const { options, landed } = await prepared(directory.path, simple, [
      { message: "one", edits: [["a.txt", "two\n"]] },
      { message: "two", edits: [["a.txt", "three\n"]] },
    ]);
    const first = {
      ...options,
      commits: () => each(landed.slice(0, 1)),
      expectedTree: treeId(new Map([["a.txt" as RepoPath, { blob: blobId(Buffer.from("two\n")), mode: "100644" }]])),
    };
    const one = unwrap(await exportBranch(first), "first");
    const again = unwrap(await exportBranch(first), "again");
    const two = unwrap(await exportBranch(options), "continued");
    expect([again, plainGit(directory.path, ["rev-parse", "skein/run-1~1", "skein/run-1"])]).toEqual([
      one,
      `${one.commit}\n${two.commit}`,
    ]);
  });

  test("a branch that is someone else's, checked out or badly named is refused and untouched", async () => {
    using directory = temporaryDirectory();
    const root = directory.path;
    const { options } = await prepared(root, simple, [{ message: "one", edits: [["a.txt", "two\n"]] }]);
    plainGit(root, ["branch", "theirs"]);
    plainGit(root, ["checkout", "--quiet", "-b", "diverged"]);
    plainGit(root, ["commit", "--quiet", "--allow-empty", "--message=Theirs"]);
    plainGit(root, ["checkout", "--quiet", "main"]);
    const worktree = `${directory.path}-worktree`;
    plainGit(root, ["worktree", "add", "--quiet", "-b", "elsewhere", worktree]);
    const before = untouched(root);
    const answers = [];
    for (const branch of ["theirs", "diverged", "main", "elsewhere", "-x", "a..b", "HEAD", "x.lock"]) {
      const answer = await exportBranch({ ...options, branch });
      answers.push(answer.ok ? "exported" : answer.error.kind);
    }
    expect(answers).toEqual([
      "branch-exists",
      "branch-exists",
      "branch-checked-out",
      "branch-checked-out",
      "bad-branch-name",
      "bad-branch-name",
      "bad-branch-name",
      "bad-branch-name",
    ]);
    expect(untouched(root)).toEqual(before);
    plainGit(root, ["worktree", "remove", "--force", worktree]);
  });

  test("a result that is not what the run holds is said, kept under another name, and the branch is not made", async () => {
    using directory = temporaryDirectory();
    const { options, manifest } = await prepared(directory.path, simple, [
      { message: "one", edits: [["a.txt", "two\n"]] },
    ]);
    const wrong = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const answer = await exportBranch({ ...options, expectedTree: wrong });
    const branches = plainGit(directory.path, ["for-each-ref", "--format=%(refname)"]).split("\n");
    const kept = branches.find((name) => name.includes("unverified")) ?? "";
    expect(answer).toEqual({
      ok: false,
      error: {
        kind: "mismatch",
        what: "tree",
        expected: wrong,
        actual: treeId(manifest),
        keptAs: kept.replace("refs/heads/", ""),
      },
    });
    expect(branches).toEqual(["refs/heads/main", kept]);
    expect(plainGit(directory.path, ["rev-parse", `${kept}^{tree}`])).toBe(treeId(manifest));
  });

  test("a blob source that fails or lies changes nothing", async () => {
    using directory = temporaryDirectory();
    const { options, contents } = await prepared(directory.path, simple, [
      { message: "one", edits: [["a.txt", "two\n"]] },
    ]);
    const [id] = [...contents.keys()];
    const failing = await exportBranch({
      ...options,
      blobs: { get: async () => Promise.reject(new Error("socket closed")) },
    });
    const lying = await exportBranch({ ...options, blobs: { get: async () => [Buffer.from("other")] } });
    const empty = await exportBranch({ ...options, commits: () => each([]) });
    expect([failing, lying, empty]).toEqual([
      { ok: false, error: { kind: "blob", id: null, message: "socket closed" } },
      { ok: false, error: { kind: "blob", id, message: "the source's bytes do not hash to this id" } },
      { ok: false, error: { kind: "nothing-to-export" } },
    ]);
    expect(plainGit(directory.path, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
    expect(readdirSync(join(directory.path, ".git/refs"))).toEqual(["heads", "tags"]);
  });

  test("a bare SHA-256 repository takes an export", async () => {
    using directory = temporaryDirectory();
    makeRepository(`${directory.path}/work`, simple, { format: "sha256" });
    const bare = `${directory.path}/bare.git`;
    plainGit(directory.path, ["clone", "--quiet", "--bare", "work", "bare.git"]);
    const base = unwrap(await readTree(git, bare, "HEAD"), "tree");
    const bytes = Buffer.from("two\n");
    const blob = blobId(bytes, "sha256");
    const manifest = new Map(base.manifest).set("b.txt" as RepoPath, { blob, mode: "100755" });
    const [commit] = history(base.manifest, [{ message: "one", edits: [] }]).landed;
    const exported = await exportBranch({
      git,
      repository: bare,
      branch: "run",
      parent: plainGit(bare, ["rev-parse", "HEAD"]),
      commits: () =>
        each([{ ...commit!, changes: [{ kind: "put", path: "b.txt" as RepoPath, blob, mode: "100755" }] }]),
      blobs: blobSource(new Map([[blob, bytes]])),
      describe: () => ({ authorName: "a", authorEmail: "a@b", trailers: [] }),
      expectedTree: treeId(manifest, "sha256"),
    });
    expect([exported.ok, plainGit(bare, ["rev-parse", "run^{tree}"])]).toEqual([true, treeId(manifest, "sha256")]);
  });
});
