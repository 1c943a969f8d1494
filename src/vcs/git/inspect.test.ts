// What a run is told of a repository, against repositories made by plain git.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { ok } from "../../base/result.ts";
import { makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import type { Git } from "./command.ts";
import { ignoreSources } from "./ignore-sources.ts";
import { inspectRepository } from "./inspect.ts";

const { files, processes } = nodeHost();
const git: Git = { processes, path: process.env.PATH ?? "" };
const simple = { "a/b.txt": { kind: "file", bytes: "one\n" }, "c.txt": { kind: "file", bytes: "c\n" } } as const;

describe("inspect", () => {
  test("a work tree with changes of every kind, seen from a folder inside it", async () => {
    using directory = temporaryDirectory("skein inspect\n");
    const root = directory.path;
    makeRepository(root, { ...simple, ".gitignore": { kind: "file", bytes: "*.log\n" } });
    writeFileSync(join(root, "c.txt"), "changed\n");
    plainGit(root, ["rm", "--quiet", "--cached", "a/b.txt"]);
    mkdirSync(join(root, "new"));
    for (const name of ["new/1", "new/2", "ignored.log", "mine.swp"]) writeFileSync(join(root, name), "x");
    writeFileSync(join(root, ".git/my-excludes"), "*.swp\n");
    const info = await inspectRepository({
      git,
      files,
      path: join(root, "a"),
      excludesFile: async (top) => ok(join(top, ".git/my-excludes")),
    });
    expect(info).toEqual({
      ok: true,
      value: {
        root,
        gitDir: join(root, ".git"),
        bare: false,
        branch: "main",
        headCommit: plainGit(root, ["rev-parse", "HEAD"]),
        headTree: plainGit(root, ["rev-parse", "HEAD^{tree}"]),
        objectFormat: "sha1",
        dirty: true,
        // c.txt, a/b.txt deleted from the index, a/ untracked, new/.
        dirtyPaths: 4,
      },
    });
  });

  test("a detached HEAD has no branch, a bare repository no dirt", async () => {
    using directory = temporaryDirectory();
    makeRepository(`${directory.path}/work`, simple);
    plainGit(directory.path, ["clone", "--quiet", "--bare", "work", "bare.git"]);
    plainGit(`${directory.path}/work`, ["checkout", "--quiet", "--detach"]);
    const detached = await inspectRepository({ git, files, path: `${directory.path}/work` });
    const bare = await inspectRepository({ git, files, path: `${directory.path}/bare.git` });
    expect([detached, bare]).toMatchObject([
      { ok: true, value: { branch: null, dirty: false } },
      {
        ok: true,
        value: { root: `${directory.path}/bare.git`, bare: true, branch: "main", dirty: false, dirtyPaths: 0 },
      },
    ]);
  });

  test("no repository, an empty one, a missing folder and a damaged HEAD are told apart", async () => {
    using directory = temporaryDirectory();
    const at = (name: string) => join(directory.path, name);
    mkdirSync(at("plain"));
    plainGit(directory.path, ["init", "--quiet", "--initial-branch=trunk", "empty"]);
    makeRepository(at("damaged"), simple);
    writeFileSync(at("damaged/.git/refs/heads/main"), "0123456789012345678901234567890123456789\n");
    const kinds = [];
    for (const name of ["plain", "empty", "absent", "damaged", "empty/.git"]) {
      const info = await inspectRepository({ git, files, path: at(name) });
      kinds.push(info.ok ? "fine" : info.error.kind);
    }
    expect(kinds).toEqual(["not-a-repository", "empty-repository", "file", "git", "not-a-repository"]);
  });
});

describe("ignore sources", () => {
  test("S26 the user's excludes file and info/exclude, in git's order", async () => {
    using directory = temporaryDirectory();
    const home = join(directory.path, "home");
    const root = join(directory.path, "repo");
    makeRepository(root, simple);
    mkdirSync(join(home, ".config/git"), { recursive: true });
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info/exclude"), "from-info\n");
    const ask = (user: { home: string; xdgConfigHome?: string }) => ignoreSources({ git, files, root, user });
    const without = await ask({ home });
    writeFileSync(join(home, ".config/git/ignore"), "from-default\n");
    const byDefault = await ask({ home });
    writeFileSync(join(home, ".gitconfig"), "[core]\n\texcludesFile = ~/my-ignore\n");
    writeFileSync(join(home, "my-ignore"), "from-setting\n");
    const bySetting = await ask({ home });
    mkdirSync(join(home, "xdg/git"), { recursive: true });
    symlinkSync("/dev/zero", join(home, "xdg/git/ignore"));
    const byDevice = await ask({ home: join(home, "xdg"), xdgConfigHome: join(home, "xdg") });
    expect([without, byDefault, bySetting, byDevice].map((answer) => answer.ok && answer.value)).toEqual([
      { excludesFile: null, texts: ["from-info\n"] },
      { excludesFile: join(home, ".config/git/ignore"), texts: ["from-default\n", "from-info\n"] },
      { excludesFile: join(home, "my-ignore"), texts: ["from-setting\n", "from-info\n"] },
      { excludesFile: null, texts: ["from-info\n"] },
    ]);
  });
});
