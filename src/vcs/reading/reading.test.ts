// Differences and blame against git's own, over real repositories made of the same histories.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { asPosition, type Position } from "../../base/ids.ts";
import { asPath, commit, type FileTexts, type Rig, rigWith } from "../../testing/vcs/vcs-rig.ts";
import type { LandedCommit } from "../types.ts";
import { blame } from "./blame.ts";
import { compare } from "./compare.ts";
import { patchBytes, patchOf } from "./patch.ts";
import type { Reader } from "./reader.ts";

let root = "";
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): string {
  const config = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.quotePath=false", "-c", "diff.renames=true"];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...config, "-C", root, ...args], { env, encoding: "utf8" });
}

/** Commits the files in git, too, and tells the ids of both. */
async function histories(start: FileTexts, steps: readonly FileTexts[]) {
  root = mkdtempSync(join(tmpdir(), "skein-reading-"));
  git("init", "-q");
  const rig = await rigWith(start);
  const ids = [gitCommit(start)];
  for (const files of steps) {
    await commit(rig, { by: ids.length, base: rig.vcs.head(), files });
    ids.push(gitCommit(files));
  }
  return { rig, ids };
}

function gitCommit(files: FileTexts): string {
  for (const [path, file] of Object.entries(files)) {
    const place = join(root, path);
    rmSync(place, { force: true, recursive: true });
    if (file === null) continue;
    mkdirSync(dirname(place), { recursive: true });
    const { text, mode } = typeof file === "string" ? { text: file, mode: "100644" } : file;
    if (mode === "120000") symlinkSync(String(text), place);
    else writeFileSync(place, text);
    if (mode === "100755") chmodSync(place, 0o755);
  }
  git("add", "--all");
  git("commit", "-qm", "m", "--allow-empty");
  return git("rev-parse", "HEAD").trim();
}

function readerOf({ vcs, ledger }: Rig): Reader {
  return {
    head: vcs.head(),
    first: asPosition(1),
    manifest: async (at) => vcs.manifest(at),
    entry: async (path, at) => vcs.entry(path, at),
    async log(query) {
      const found: LandedCommit[] = [];
      for await (const each of vcs.log(query)) found.push(each);
      return found;
    },
    async content(id) {
      const blob = await ledger.log.blob(id);
      return blob.ok ? blob.value : null;
    },
  };
}

const long = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join("");

test("S23 S24 differences are git's: lines, files without an end, CRLF, modes, links, binaries, renames, odd names", async () => {
  const { rig, ids } = await histories(
    {
      "a.txt": long,
      "crlf.txt": "one\r\ntwo\r\nthree\r\n",
      "open.txt": "one\ntwo",
      "bin.dat": "\0one\n",
      "run.sh": "echo\n",
      link: { text: "a.txt", mode: "120000" },
      "old/name.txt": `${long}end\n`,
      "gone.txt": "gone\n",
      'q"uote\ttab.txt': "q\n",
      "\u00e4.txt": "u\n",
    },
    [
      {
        "a.txt": long.replace("line 3\n", "").replace("line 20\n", "line 20\nmore\n").replace("line 39\n", "last\n"),
        "crlf.txt": "one\r\nTWO\r\nthree\r\n",
        "open.txt": "one\ntwo\nthree",
        "bin.dat": "\0two\n",
        "run.sh": { text: "echo\n", mode: "100755" },
        link: { text: "crlf.txt", mode: "120000" },
        "old/name.txt": null,
        "new/name.txt": `${long}END\n`,
        "gone.txt": null,
        "empty.txt": "",
        'q"uote\ttab.txt': "Q\n",
        "\u00e4.txt": "U\n",
      },
    ],
  );
  const reader = readerOf(rig);
  const [before, after] = [rig.vcs.manifest(asPosition(1)), rig.vcs.manifest(rig.vcs.head())];
  const paths = new Set([...before.keys(), ...after.keys()]);
  const files = await compare(
    reader,
    [...paths].map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null })),
  );
  const ours = files.map(patchOf);
  const [from = "", to = ""] = ids;
  const told = git("diff", "--full-index", "--no-indent-heuristic", "--no-color", from, to);
  // Git adds the line above a hunk, and how similar a renamed file is.
  const plain = told.replace(/^(@@ .* @@).*$/gm, "$1").replace(/^similarity index .*\n/gm, "");
  const theirs = plain.split(/^(?=diff --git )/m);
  expect([...ours].sort()).toEqual([...theirs].sort());
});

test("S23 S24 a patch is git's to the byte, and git apply makes the same tree of it", async () => {
  const many = "l\n".repeat(150_000);
  const start: FileTexts = {
    "crlf.txt": "one\r\ntwo\r\n",
    "cr.txt": "a\rb\rc\n",
    "latin.txt": { text: Buffer.from("caf\xe9\nsame\n", "latin1"), mode: "100644" },
    "escape.txt": "\u001b[31mred\n",
    "bom.txt": "\ufefftext\n",
    "blank at end.txt": "x\n\n\n \n",
    " lead and trail ": "1\n",
    "\u0001control": "1\n",
    "many.txt": many,
    "to-link": "a file\n",
    "to-file": { text: "target", mode: "120000" },
  };
  const end: FileTexts = {
    "crlf.txt": "one\r\ntwo\n",
    "cr.txt": "a\rB\rc\n",
    "latin.txt": { text: Buffer.from("caf\xe8\nsame\n", "latin1"), mode: "100644" },
    "escape.txt": "\u001b[32mred\n",
    "bom.txt": "text\n",
    "blank at end.txt": "y\n\n\n \n",
    " lead and trail ": "2\n",
    "\u0001control": "2\n",
    "many.txt": `${many}more\n`,
    "to-link": { text: "target", mode: "120000" },
    "to-file": "a file\n",
  };
  const { rig, ids } = await histories(start, [end]);
  const reader = readerOf(rig);
  const [before, after] = [rig.vcs.manifest(asPosition(1)), rig.vcs.manifest(rig.vcs.head())];
  const files = await compare(
    reader,
    [...after.keys()].map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null })),
  );
  const ours = Buffer.concat(files.map(patchBytes)).toString("latin1");
  const [from = "", to = ""] = ids;
  const config = ["-C", root, "-c", "core.quotePath=false"];
  const told = execFileSync("git", [...config, "diff", "--full-index", "--no-indent-heuristic", from, to], {
    encoding: "latin1",
  }).replace(/^(@@ .* @@).*$/gm, "$1");
  const sorted = (patch: string) => patch.split(/^(?=diff --git )/m).sort();
  expect(sorted(ours)).toEqual(sorted(told));
  git("checkout", "-q", from);
  execFileSync("git", [...config, "apply", "--index", "--whitespace=nowarn"], { input: Buffer.from(ours, "latin1") });
  expect(git("write-tree").trim()).toBe(git("rev-parse", `${to}^{tree}`).trim());
});

test("blame is git's, also through a rename", async () => {
  const { rig, ids } = await histories({ "a.txt": long }, [
    { "a.txt": long.replace("line 3\n", "three\n") },
    { "a.txt": long.replace("line 3\n", "three\n").replace("line 10\n", "line 10\nnew\n") },
    { "a.txt": null, "b.txt": long.replace("line 3\n", "three\n").replace("line 10\n", "line 10\nnew\nnewer\n") },
    {
      "b.txt": long.replace("line 3\n", "3!\n").replace("line 10\n", "line 10\nnew\nnewer\n").replace("line 39\n", ""),
    },
  ]);
  const answer = await blame(readerOf(rig), asPath("b.txt"), rig.vcs.head());
  const ours =
    answer.kind === "lines"
      ? answer.lines.map(({ origin }) => (origin.kind === "commit" ? origin.commit.position : (1 as Position)))
      : [];
  const told = git("blame", "--porcelain", "b.txt").split("\n");
  const theirs = told.flatMap((line) => {
    const id = /^([0-9a-f]{40}) \d+ \d+/.exec(line)?.[1];
    return id === undefined ? [] : [ids.indexOf(id) + 1];
  });
  expect(ours).toEqual(theirs);
});

test("the log tells a file's, a directory's and an author's commits, newest first, as of a position", async () => {
  const { rig } = await histories({ "d/a": "1\n", "e/b": "1\n" }, [
    { "d/a": "2\n" },
    { "e/b": "2\n" },
    { "d/a": "3\n", "e/b": "3\n" },
    { "d/c": "1\n" },
  ]);
  const all = { at: null, agent: null, task: null, path: null, limit: 10 };
  const told = async (query: Partial<Parameters<Reader["log"]>[0]>) =>
    (await readerOf(rig).log({ ...all, ...query })).map(({ position }) => position);
  expect([
    await told({}),
    await told({ path: asPath("d/a") }),
    await told({ path: asPath("d") }),
    await told({ path: asPath("d"), at: asPosition(4), limit: 1 }),
    await told({ agent: "a2" }),
    await told({ task: "t3", path: asPath("e") }),
    await told({ path: asPath("none") }),
    rig.vcs.hottest(10),
  ]).toEqual([
    [5, 4, 3, 2],
    [4, 2],
    [5, 4, 2],
    [4],
    [3],
    [4],
    [],
    [
      { path: "d/a", commits: 2, agents: 2, deleted: false },
      { path: "e/b", commits: 2, agents: 2, deleted: false },
    ],
  ]);
});
