// Which places of a repository the person's git would run, as a real repository with submodules has them.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { gitGuards, gitWatch } from "./git-guards.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "skein-guards-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    stdio: "ignore",
  });

test("the repository's own .git, those of submodules, and the whole of one that is not there yet", async () => {
  const [library, top] = [join(place, "library"), join(place, "top")];
  for (const one of [library, top]) {
    mkdirSync(one);
    git(one, "init", "-q");
    git(one, "commit", "-q", "--allow-empty", "-m", "first");
  }
  git(top, "submodule", "add", "-q", library, "packages/sub");
  git(top, "submodule", "add", "-q", library, "later");
  git(top, "submodule", "deinit", "-q", "-f", "later");
  rmSync(join(top, "later", ".git"), { force: true });
  const { files } = nodeHost();
  expect(await gitGuards(files, { root: top, top })).toEqual([
    join(top, ".git"),
    join(top, "packages", "sub", ".git"),
    join(top, "later"),
  ]);
  const packages = join(top, "packages");
  expect(await gitGuards(files, { root: packages, top })).toEqual([
    join(packages, ".git"),
    join(packages, "sub", ".git"),
  ]);
});

test("a file of submodules that names other places guards nothing there", async () => {
  const top = join(place, "odd");
  mkdirSync(top);
  symlinkSync(place, join(top, "link"));
  const paths = ["..", "/etc", ".", "link", "missing"];
  writeFileSync(join(top, ".gitmodules"), paths.map((path) => `[submodule "x"]\n\tpath = ${path}\n`).join(""));
  expect(await gitGuards(nodeHost().files, { root: top, top })).toEqual([join(top, ".git")]);
});

test("a repository that a run has made where there was none is said, one that was there is not", async () => {
  const directory = join(place, "made");
  mkdirSync(directory);
  const { files } = nodeHost();
  const before = await gitWatch(files, directory);
  expect(await before()).toBeNull();
  git(directory, "init", "-q");
  expect([await before(), await (await gitWatch(files, directory))()]).toEqual([
    expect.stringContaining(`this run has made ${join(directory, ".git")}`),
    null,
  ]);
});
