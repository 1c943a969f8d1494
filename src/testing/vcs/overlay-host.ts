// A host of overlays as a program, for tests: it is started in namespaces of its own, does one phase, and prints what it saw as one
// line of JSON. Usage: `overlay-host <directory> <phase> [<command that demotes>…]`.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../adapters/node/host.ts";
import { asPosition, type Position } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { treeId } from "../../vcs/tree-id.ts";
import type { Manifest } from "../../vcs/types.ts";
import { openBlobCache } from "../../vcs/workspace/blob-cache.ts";
import { openGitBases } from "../../vcs/workspace/git-bases.ts";
import { Overlays } from "../../vcs/workspace/overlay/overlays.ts";
import { settleOverlay } from "../../vcs/workspace/overlay/settle.ts";
import { createWorkspace, reopenWorkspace, type Workspace } from "../../vcs/workspace/workspace.ts";
import { type Tree, world } from "../git/made-workspace.ts";

const [directory = "", phase = "", ...demote] = process.argv.slice(2);
const host = nodeHost();
const { files, processes } = host;
const path = process.env.PATH ?? "";
const { blobs, manifest } = world();
const cache = openBlobCache({ files, directory: join(directory, "blobs") });
const workspaces = join(directory, "workspaces");

/** 240 files in 20 directories, and some that change their kind. */
function firstTree(): Record<string, Tree[string]> {
  const tree: Record<string, Tree[string]> = {
    ".gitignore": "*.log\n",
    "to-directory": "a file\n",
    "to-file/in": "x\n",
  };
  for (let index = 0; index < 240; index += 1) tree[`d${index % 20}/f${Math.floor(index / 20)}`] = `file ${index}\n`;
  tree["run.sh"] = ["#!/bin/sh\n", "100755"];
  tree.link = ["d1/f1", "120000"];
  return tree;
}

/** The second differs from the first in a few paths, the third in more than one workspace brings up by itself. */
const trees: readonly Tree[] = [
  firstTree(),
  { ...firstTree(), "d1/f0": "theirs\n", "d9/f9": "theirs\n", "d8/new": "theirs\n", "run.sh": "no longer\n" },
  Object.fromEntries(Object.entries(firstTree()).flatMap(([name, spec]) => changedIn(name, spec))),
];

function changedIn(name: string, spec: Tree[string]): [string, Tree[string]][] {
  if (name.startsWith("d2/")) return [];
  return [[name, /[1357]$/.test(name) && spec !== undefined && name !== "link" ? `third ${name}\n` : spec]] as [
    string,
    Tree[string],
  ][];
}

const manifestAt = async (position: Position): Promise<Manifest> => manifest(trees[position - 1] ?? {});
const bases = openGitBases({
  files,
  git: { processes: { spawn: (spec) => processes.spawn({ ...spec, argv: [...demotedArgv(spec.argv)] }) }, path },
  directory: join(workspaces, "git-bases"),
});
const notes: string[] = [];
const overlays = new Overlays({
  files,
  processes,
  path,
  directory: workspaces,
  bases,
  cache,
  blobs,
  manifestAt,
  epoch: "this start",
  fileBytesMax: 10 * 1024 * 1024,
  onUnavailable: (reason) => notes.push(reason),
});
const common = { files, blobs, cache, overlays, git: { kind: "base", bases } } as const;

const edits = `
echo more >> d1/f0; rm d1/f2; touch d1/f3
rm -r d2 && mkdir d2 && echo fresh > d2/fresh
rm -r d3; mv d4 moved4; chmod +x d5/f0; ln -s target d5/link
mkdir -p new/deep && echo n > new/deep/file; echo ignored > out.log; echo ignored > d6/x.log
rm to-directory && mkdir to-directory && echo in > to-directory/in
rm -r to-file && echo file > to-file
cp -p d7/f0 keep && echo other > d7/f0 && mv keep d7/f0
rm d7/f1 && ln d7/f2 d7/f1
rm -r d10 && mkdir d10
ln -sfn d1/f5 link`;

switch (phase) {
  case "work":
    await work();
    break;
  case "resume":
    await resume();
    break;
  case "settle":
    // As a process outside does, which sees no mount.
    unwrap(await settleOverlay({ files, processes, path, directory: join(workspaces, "w1") }), "settle");
    break;
}

async function work(): Promise<void> {
  mkdirSync(workspaces);
  const [w1, w2, w3] = [await make("w1", 1), await make("w2", 2), await make("w3", 3)];
  const clean = [await look(w1, 1), await look(w2, 2), await look(w3, 3)];
  shell(w1, edits);
  print({ notes, clean, edited: await look(w1, 1), all: listing(w1) });
  // As a host dies: nothing is unmounted.
  process.kill(process.pid, "SIGKILL");
}

async function resume(): Promise<void> {
  const options = { ...common, directory: join(workspaces, "w1"), manifestAt };
  const w1 = unwrap(await reopenWorkspace(options), "reopen");
  if (w1 === null) throw new Error("it is not there");
  const [found, all] = [await look(w1, 1), listing(w1)];
  const target = { position: asPosition(2), manifest: await manifestAt(asPosition(2)) };
  const synced = unwrap(await w1.sync(target), "sync");
  const more = await make("w4", 3);
  print({ notes, found, all, synced, another: await look(more, 3), afterSync: listing(w1) });
}

async function make(name: string, number: number): Promise<Workspace> {
  const position = asPosition(number);
  const snapshot = { position, manifest: await manifestAt(position) };
  return unwrap(await createWorkspace({ ...common, directory: join(workspaces, name), snapshot }), "create");
}

/** What a scan finds, the tree that this makes, and the tree that git itself finds there. */
async function look(workspace: Workspace, number: number) {
  const { changes, skipped } = unwrap(await workspace.scan(), "scan");
  const whole = new Map(await manifestAt(asPosition(number)));
  for (const change of changes) {
    if (change.kind === "put") whole.set(change.path, { blob: change.blob, mode: change.mode });
    else whole.delete(change.path);
  }
  const aside = join(directory, "git-of-the-test");
  shell(
    workspace,
    `rm -rf ${aside} && git init -q --bare ${aside} && export GIT_DIR=${aside} GIT_WORK_TREE=. && git add -A`,
  );
  const gits = shell(workspace, `GIT_DIR=${aside} git write-tree`).trim();
  const status = shell(workspace, "git status --porcelain")
    .split("\n")
    .filter((line) => line !== "");
  return {
    changes: changes.map(({ kind, path: name }) => `${kind} ${name}`),
    skipped,
    ours: treeId(whole),
    gits,
    status: status.length,
  };
}

function listing(workspace: Workspace): string {
  return shell(
    workspace,
    "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort; find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort",
  );
}

function shell({ root }: Workspace, script: string): string {
  const [program = "", ...args] = demotedArgv(["sh", "-ec", script]);
  return execFileSync(program, args, { cwd: root, env: { PATH: path, HOME: directory }, encoding: "utf8" });
}

function demotedArgv(argv: readonly string[]): readonly [string, ...string[]] {
  return [...demote, ...argv] as [string, ...string[]];
}

function print(value: object): void {
  // Written before the end, which may be a sudden one.
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
