// What people do today, measured beside the store: git itself, with a worktree for each agent and with its plumbing.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BenchRandom, pathOf, textOf } from "./random.ts";

const env = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@localhost",
};

export interface GitWish {
  readonly directory: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly seconds: number;
}

/** Sixteen worktrees; each agent edits 1–3 files, commits, and under one lock rebases onto main and moves main. Landed commits/s. */
export async function worktrees({ directory, files, fileBytes, seconds }: GitWish): Promise<number> {
  const agents = 16;
  const repository = join(directory, "git");
  await makeRepository(repository, files, fileBytes);
  const trees = Array.from({ length: agents }, (_, agent) => join(directory, `tree-${agent}`));
  for (const [agent, tree] of trees.entries())
    await git(repository, "worktree", "add", "--quiet", "-b", `agent-${agent}`, tree, "main");
  let lock: Promise<unknown> = Promise.resolve();
  let landed = 0;
  const untilMs = performance.now() + seconds * 1_000;
  const startMs = performance.now();
  async function agent(number: number, tree: string): Promise<void> {
    const random = new BenchRandom(number + 1);
    for (let round = 0; performance.now() < untilMs; round += 1) {
      for (let count = 1 + random.below(3); count > 0; count -= 1) {
        const path = pathOf(number + random.below(Math.floor(files / agents) - 1) * agents);
        writeFileSync(join(tree, path), textOf(fileBytes, random, `${number} ${round} ${count}`));
      }
      await git(tree, "commit", "--quiet", "--all", "--message", `${number} ${round}`);
      const turn = lock.then(async () => {
        await git(tree, "rebase", "--quiet", "main");
        await git(tree, "update-ref", "refs/heads/main", `agent-${number}`);
        if (performance.now() < untilMs) landed += 1;
      });
      lock = turn;
      await turn;
    }
  }
  await Promise.all(trees.map((tree, number) => agent(number, tree)));
  return (landed * 1_000) / (Math.min(performance.now(), untilMs) - startMs);
}

/** hash-object for each file, then mktree, commit-tree and update-ref, one commit after the other. Commits/s. */
export async function plumbing({ directory, fileBytes, seconds }: GitWish): Promise<number> {
  const repository = join(directory, "plumbing");
  mkdirSync(repository, { recursive: true });
  await git(repository, "init", "--quiet", "--bare");
  const random = new BenchRandom(5);
  const untilMs = performance.now() + seconds * 1_000;
  const startMs = performance.now();
  let parent: string | null = null;
  let commits = 0;
  for (; performance.now() < untilMs; commits += 1) {
    const entries: string[] = [];
    for (let file = 0; file < 2; file += 1) {
      const id = piped(repository, ["hash-object", "-w", "--stdin"], textOf(fileBytes, random, `${commits} ${file}`));
      entries.push(`100644 blob ${id}\tf${file}`);
    }
    const tree = piped(repository, ["mktree"], Buffer.from(`${entries.join("\n")}\n`));
    const parents: string[] = parent === null ? [] : ["-p", parent];
    parent = piped(repository, ["commit-tree", tree, ...parents, "-m", String(commits)], Buffer.alloc(0));
    piped(repository, ["update-ref", "refs/heads/main", parent], Buffer.alloc(0));
  }
  return (commits * 1_000) / (performance.now() - startMs);
}

/** One stream into `git fast-import`: nothing is durable before its end. Commits/s. */
export async function fastImport({ directory, files, fileBytes, seconds }: GitWish): Promise<number> {
  const repository = join(directory, "fast-import");
  await makeRepository(repository, files, fileBytes);
  const random = new BenchRandom(9);
  const child = spawn("git", ["fast-import", "--quiet", "--force"], {
    cwd: repository,
    env,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const startMs = performance.now();
  const untilMs = startMs + seconds * 1_000;
  let commits = 0;
  for (; performance.now() < untilMs; commits += 1) {
    const parts: Buffer[] = [
      Buffer.from(`commit refs/heads/main\ncommitter b <b@localhost> ${1_700_000_000 + commits} +0000\ndata 1\nm\n`),
    ];
    if (commits === 0) parts.push(Buffer.from("from refs/heads/main^0\n"));
    for (let file = 0; file < 2; file += 1) {
      const content = textOf(fileBytes, random, `${commits} ${file}`);
      parts.push(
        Buffer.from(`M 100644 inline ${pathOf(random.below(files))}\ndata ${content.length}\n`),
        content,
        Buffer.from("\n"),
      );
    }
    if (!child.stdin.write(Buffer.concat(parts))) await once(child.stdin, "drain");
  }
  child.stdin.end("done\n");
  await once(child, "close");
  return (commits * 1_000) / (performance.now() - startMs);
}

async function makeRepository(repository: string, files: number, fileBytes: number): Promise<void> {
  mkdirSync(repository, { recursive: true });
  await git(repository, "init", "--quiet", "--initial-branch=main");
  await git(repository, "config", "gc.auto", "0");
  const random = new BenchRandom(42);
  for (let index = 0; index < files; index += 1) {
    const path = join(repository, pathOf(index));
    if (index < 100) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, textOf(fileBytes, random, `file ${index}`));
  }
  await git(repository, "add", "--all");
  await git(repository, "commit", "--quiet", "--message", "base");
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  const child = spawn("git", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${said}`);
}

function piped(cwd: string, args: readonly string[], input: Buffer): string {
  return execFileSync("git", args, { cwd, env, input, encoding: "utf8" }).trim();
}
