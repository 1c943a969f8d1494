// A worktree with real git and what is kept of it, as processes with a home of their own see it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { syncProgramOutput } from "../../adapters/node/sync-program-output.ts";
import { findPlace } from "../../sessions/presence/place.ts";
import {
  fullAnswer,
  knownLook,
  type LookTools,
  newLook,
  settingsText,
  type WorktreeLook,
} from "../../sessions/presence/worktree-look.ts";
import { WorktreeMemory } from "../../sessions/presence/worktree-memory.ts";
import { temporaryDirectory } from "../git/real-repository.ts";

/** Longer than the youth of a change that is not recorded yet. */
export const settledMs = 60;
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const patienceMsMax = 60_000;

interface Circumstances {
  /** When the process begins, in milliseconds since the epoch. */
  readonly now?: number;
  readonly files?: typeof syncFiles;
  /** Git takes longer than it may. */
  readonly isGivenUp?: boolean;
  /** What happens when git has looked for the first time. */
  readonly afterGit?: () => void;
}

export class WorktreeRig {
  readonly #place = temporaryDirectory("skein-known-");
  readonly home = join(this.#place.path, "home");
  readonly worktree = join(this.#place.path, "worktree");
  readonly state = join(this.#place.path, "state");
  marks: (string | null)[] = [];

  constructor() {
    for (const path of [this.home, this.worktree, this.state]) mkdirSync(path);
    this.git("init", "-q", "-b", "main");
  }

  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
  }

  at(...path: readonly string[]): string {
    return join(this.worktree, ...path);
  }

  git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
    const env = { PATH: process.env.PATH ?? "", HOME: this.home };
    return execFileSync("git", [...identity, ...args], { cwd: this.worktree, env, encoding: "utf8", stdio: "pipe" });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  commit(): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "m", "--allow-empty");
  }

  /** As a process of its own. */
  tools({ now = Date.now(), files = syncFiles, isGivenUp = false, afterGit = () => {} }: Circumstances = {}) {
    const clock = { now: () => now, monotonicMs: () => 0 };
    const programs: LookTools = {
      files,
      programOutput: async (question) => {
        const output = isGivenUp ? null : await syncProgramOutput({ ...question, msMax: patienceMsMax });
        afterGit();
        return output;
      },
      environment: { PATH: process.env.PATH ?? "", HOME: this.home },
    };
    const known = new WorktreeMemory({
      files,
      directoryOf: () => this.state,
      answerOf: async (worktree, msMax) => (isGivenUp ? "slow" : fullAnswer(programs, worktree, { msMax, clock })),
      settingsOf: (worktree, msMax) => settingsText(programs, worktree, msMax),
      msLeft: (least) => least,
      home: this.home,
      now,
      unique: "u",
      gitStarted: false,
      mark: async (index) => void this.marks.push(index),
    });
    return { ...programs, known };
  }

  /** Without git; null where it has to be asked. */
  async known(directory = this.worktree): Promise<WorktreeLook | null> {
    return knownLook(this.tools(), await findPlace(syncFiles, directory));
  }

  /** As git says it, which is not told of what is known. */
  async asked(): Promise<WorktreeLook> {
    return newLook({ ...this.tools(), known: null }, await findPlace(syncFiles, this.worktree));
  }

  /** Asks git, and keeps what it says. */
  async learn({ directory = this.worktree, ...circumstances }: Circumstances & { directory?: string } = {}) {
    const { afterGit, ...others } = circumstances;
    let isOver = false;
    const once = (): void => {
      if (!isOver) afterGit?.();
      isOver = true;
    };
    const tools = this.tools({ ...others, afterGit: once });
    const look = await newLook(tools, await findPlace(syncFiles, directory));
    await tools.known.keep();
    return look;
  }

  /** As if nothing had changed for a second. */
  async learnSettled(): Promise<void> {
    await this.learn({ now: Date.now() + 1_000 });
  }

  record() {
    const folder = join(this.state, ".worktrees");
    const [name] = existsSync(folder) ? readdirSync(folder) : [];
    return name === undefined ? null : JSON.parse(readFileSync(join(folder, name), "utf8"));
  }
}
