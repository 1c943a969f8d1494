// Makes the record of a small worktree (known-worktree.ts) from what git has just told of it and its settings, and the change times of
// all its files. Invariant: where something may have changed since git was asked, nothing is recorded.

import { dirname, isAbsolute, join, resolve } from "node:path";
import type { LookNow } from "../../host/files.ts";
import {
  entriesMax,
  gitMsMax,
  indexBytesMax,
  indexOf,
  isDeciding,
  type KnownDirectory,
  type KnownWorktree,
  knownVersion,
  missing,
  nothingSeen,
  stampNow,
  type TooMuch,
} from "./known-worktree.ts";
import { removeOlderBeside } from "./old-files.ts";
import type { Place } from "./place.ts";
import type { SessionFiles } from "./session-file.ts";

/** Milliseconds that a file's change time may lie before its change: the kernel's clock moves in steps of ten at the most. */
const clockStepMs = 20;
/** Where a file system knows whole seconds alone, or (FAT) every second one. */
const coarseStepMs = 2_000;
const ignoredMax = 2_000;
/** Records of worktrees where nothing has happened for so long are removed. */
const keptMs = 7 * 24 * 60 * 60_000;
const settingsMax = 64;

/** What git has answered. */
export interface GitAnswer {
  readonly status: readonly string[];
  readonly ignored: readonly string[];
  /** It was asked then or later. Milliseconds since the epoch. */
  readonly since: number;
}

export interface KnownTools {
  readonly files: SessionFiles & LookNow;
  /** Of a repository in the state directory. */
  readonly directoryOf: (place: Place) => string;
  /** Asks git for what differs and what it ignores; null where it fails, `slow` where it takes longer than that. */
  readonly answerOf: (worktree: string, msMax: number) => Promise<GitAnswer | "slow" | null>;
  /** Asks git for its settings; null where it fails or takes longer than that. */
  readonly settingsOf: (worktree: string, msMax: number) => Promise<string | null>;
  /** What git may still take, in milliseconds, with all that a hook has waited for: at least `least`. */
  readonly msLeft: (least: number) => number;
  /** Where git looks for the person's settings. */
  readonly home: string;
  readonly now: number;
  /** Tells this process's temporary files from another's. */
  readonly unique: string;
  /** Git was started beside this process. */
  readonly gitStarted: boolean;
  /** Of a worktree with this index git need not be asked beforehand, or (null) it has to be. */
  readonly mark: (index: string | null) => Promise<void>;
}

export interface Learning {
  readonly place: Place;
  /** Null where git was asked for less. */
  readonly answer: GitAnswer | null;
  readonly before: KnownWorktree | TooMuch | null;
  /** Where it is kept. */
  readonly path: string;
}

/** `too-much` holds until it is tried again; `later`: something is too young to tell; `slow`: git did not say in time. */
type Learned = KnownWorktree | "too-much" | "later" | "slow";

export async function learnWorktree(tools: KnownTools, learning: Learning): Promise<void> {
  const { place, before, path } = learning;
  const learned = await learn(tools, learning);
  const isNew = before === null || "tooMuchAt" in before;
  // Git is started beside the hook again until it is.
  if (learned === "later" || (learned === "slow" && !isNew)) return tools.gitStarted ? undefined : tools.mark(null);
  if (learned === "too-much" || learned === "slow") {
    const said: TooMuch = { v: knownVersion, worktree: place.worktree, tooMuchAt: tools.now };
    await write(tools, path, said);
    return tools.mark(null);
  }
  await write(tools, path, learned);
  if (before === null) await removeOlderBeside(tools.files, path, tools.now - keptMs);
  await tools.mark(indexOf(place));
}

async function learn(tools: KnownTools, { place, answer: known, before }: Learning): Promise<Learned> {
  const { files } = tools;
  const index = indexOf(place);
  if (place.head === null || index === null) return "too-much";
  const indexStat = await files.stat(index);
  if (indexStat.ok && indexStat.value.size > indexBytesMax) return "too-much";
  const msMax = before === null || "tooMuchAt" in before ? gitMsMax : tools.msLeft(gitMsMax);
  const answer = known ?? (await tools.answerOf(place.worktree, msMax));
  if (answer === "slow") return "slow";
  if (answer === null || answer.ignored.length > ignoredMax) return "too-much";
  if (indexStat.ok && isYoung(indexStat.value.changedMs, answer)) return "later";
  const walk = new Walk(files, place.worktree, answer);
  const walked = await walk.whole();
  if (walked !== "whole") return walked;
  const settings = await settingsFor(tools, place, before);
  if (typeof settings === "string") return settings;
  const watched: Record<string, string> = {};
  const links: Record<string, string> = {};
  const seen = nothingSeen();
  for (const path of [index, ...settings, ...walk.deciding]) {
    watched[path] = stampNow(files, path, seen);
    if (watched[path] === missing) {
      // It may have been there when git looked.
      if (files.seeNow(dirname(path), seen) === null && isYoung(seen.changedMs, answer)) return "later";
      continue;
    }
    if (isYoung(seen.changedMs, answer)) return "later";
    if (seen.kind !== "symlink") continue;
    const target = await files.realPath(path);
    if (!target.ok) return "too-much";
    links[path] = target.value;
    watched[target.value] = stampNow(files, target.value, seen);
    if (watched[target.value] === missing || isYoung(seen.changedMs, answer)) return "later";
  }
  const { branch, commit } = place.head;
  return {
    v: knownVersion,
    worktree: place.worktree,
    branch,
    commit,
    watched,
    links,
    settings,
    status: answer.status,
    directories: walk.directories,
  };
}

/** Whether what changed then may have changed after git was asked. */
function isYoung(changedMs: number, { since }: GitAnswer): boolean {
  return changedMs >= since - (changedMs % 1_000 === 0 ? coarseStepMs : clockStepMs);
}

async function write({ files, unique }: KnownTools, path: string, value: KnownWorktree | TooMuch): Promise<void> {
  const temporary = `${path}-${unique}`;
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  let written = await files.write(temporary, bytes, { private: true });
  if (!written.ok && written.error.code === "not-found") {
    const made = await files.makeDirectory(dirname(path), { private: true });
    if (made.ok) written = await files.write(temporary, bytes, { private: true });
  }
  const renamed = written.ok ? await files.rename(temporary, path) : written;
  if (!renamed.ok) await files.remove(temporary);
}

/** Settings that name a file. Git tells their names in small letters. */
const NAMING = /^(core\.(excludesfile|attributesfile)|include\.path|includeif\..*\.path)$/s;

/**
 * The files that hold git's settings for this worktree or would if they were there, and the files that those name. `too-much`
 * where that cannot be told, `slow` where git did not say.
 * Places: git-config(1), gitignore(5), gitattributes(5), for a git that is told PATH and HOME and nothing else.
 */
async function settingsFor(
  tools: KnownTools,
  place: Place,
  before: KnownWorktree | TooMuch | null,
): Promise<readonly string[] | "too-much" | "slow"> {
  if (before !== null && !("tooMuchAt" in before) && areAsBefore(tools.files, before)) return before.settings;
  const { home } = tools;
  const { repository, gitDirectory, worktree } = place;
  const found = new Set([
    "/etc/gitconfig",
    "/etc/gitattributes",
    join(home, ".gitconfig"),
    ...["config", "ignore", "attributes"].map((name) => join(home, ".config/git", name)),
    ...["config", "info/exclude", "info/attributes"].map((name) => join(repository, name)),
    join(gitDirectory ?? repository, "config.worktree"),
    // Where HEAD cannot be read from files, it is told by the time of the list of those that hold it.
    ...[repository, gitDirectory ?? repository].map((directory) => join(directory, "reftable/tables.list")),
  ]);
  const text = await tools.settingsOf(worktree, gitMsMax);
  if (text === null) return "slow";
  const fields = text.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = /^file:(.*)$/s.exec(fields[at] ?? "")?.[1];
    const file = origin === undefined ? null : resolve(worktree, origin);
    if (file !== null) found.add(file);
    const [, key = "", value = ""] = /^([^\n]*)\n?(.*)$/s.exec(fields[at + 1] ?? "") ?? [];
    // Its files are elsewhere than beside `.git`.
    if (key === "core.worktree") return "too-much";
    if (value === "" || !NAMING.test(key)) continue;
    const named = pathNamed(value, home, key.startsWith("include") && file !== null ? dirname(file) : null);
    if (named === null) return "too-much";
    found.add(named);
  }
  return found.size > settingsMax ? "too-much" : [...found];
}

function areAsBefore(files: LookNow, { settings, watched, links }: KnownWorktree): boolean {
  const seen = nothingSeen();
  return Object.keys(links).length === 0 && settings.every((path) => stampNow(files, path, seen) === watched[path]);
}

/** An included file may be named relative to the one that names it; nothing else may be. */
function pathNamed(value: string, home: string, beside: string | null): string | null {
  if (value.startsWith("~/")) return join(home, value.slice(2));
  if (isAbsolute(value)) return value;
  return beside === null || /^[~%]/.test(value) ? null : resolve(beside, value);
}

class Walk {
  readonly directories: KnownDirectory[] = [];
  readonly deciding: string[] = [];
  readonly #files: KnownTools["files"];
  readonly #worktree: string;
  readonly #status: ReadonlySet<string>;
  readonly #ignored: ReadonlySet<string>;
  readonly #answer: GitAnswer;
  #entries = 0;

  constructor(files: KnownTools["files"], worktree: string, answer: GitAnswer) {
    this.#files = files;
    this.#worktree = worktree;
    this.#status = new Set(answer.status);
    this.#ignored = new Set(answer.ignored);
    this.#answer = answer;
  }

  async whole(): Promise<"whole" | "too-much" | "later"> {
    // They are looked at beside what is found.
    this.#entries = this.#status.size;
    return this.#visit("");
  }

  async #visit(path: string): Promise<"whole" | "too-much" | "later"> {
    const absolute = path === "" ? this.#worktree : `${this.#worktree}/${path}`;
    const seen = nothingSeen();
    if (this.#files.seeNow(absolute, seen) !== null) return "later";
    // Something may have come or gone after git looked. What does while it is listed changes it once more.
    const { changedMs } = seen;
    if (isYoung(changedMs, this.#answer)) return "later";
    const listed = await this.#files.list(absolute, entriesMax);
    if (!listed.ok) return listed.error.code === "not-found" ? "later" : "too-much";
    // Another repository or a submodule: for how long it is one, and what of it is in this one's index, only git can tell.
    if (path !== "" && listed.value.some(({ name }) => name === ".git")) return "too-much";
    const [names, times, sizes, others]: [string[], number[], number[], string[]] = [[], [], [], []];
    this.directories.push({ path, changedMs, names, times, sizes, others });
    this.#entries += 1;
    if (this.#entries > entriesMax) return "too-much";
    const below: string[] = [];
    for (const { name, kind } of listed.value) {
      const inside = path === "" ? name : `${path}/${name}`;
      if (kind === "other") continue;
      // Bytes that are no text: under that name it cannot be looked at.
      if (name.includes("\ufffd")) return "too-much";
      if (kind === "directory") {
        if (name === ".git" || this.#ignored.has(`${inside}/`)) others.push(`${name}/`);
        else below.push(name);
        continue;
      }
      if (isDeciding(name)) this.deciding.push(`${absolute}/${name}`);
      if (name === ".git" || this.#ignored.has(inside) || this.#status.has(inside)) {
        others.push(name);
        continue;
      }
      this.#entries += 1;
      if (this.#entries > entriesMax) return "too-much";
      if (this.#files.seeNow(`${absolute}/${name}`, seen) !== null) return "later";
      if (isYoung(seen.changedMs, this.#answer)) return "later";
      names.push(name);
      times.push(seen.changedMs);
      sizes.push(seen.size);
    }
    for (const name of below) {
      const visited = await this.#visit(path === "" ? name : `${path}/${name}`);
      if (visited !== "whole") return visited;
    }
    return "whole";
  }
}
