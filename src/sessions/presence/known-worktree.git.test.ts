// What is known of a worktree against git itself: after any change a look without git says what git says, or nothing.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pause, settledMs, WorktreeRig } from "../../testing/sessions/worktree-rig.ts";

/** Reproducible: xorshift32, Marsaglia 2003. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

function filesIn(rig: WorktreeRig): readonly string[] {
  const all = readdirSync(rig.worktree, { recursive: true, encoding: "utf8" }).sort();
  return all.filter((path) => !path.split("/").includes(".git") && !lstatSync(rig.at(path)).isDirectory());
}

const usual = ["nothing", "grow", "grow", "growIgnored", "replace", "remove"];

/** One change of the kind that people, agents and git make. */
function change(rig: WorktreeRig, roll: (sides: number) => number): string {
  const files = filesIn(rig);
  const file = files[roll(files.length)] ?? "src/a.ts";
  const isThere = existsSync(rig.at(file));
  const quietly = (...args: readonly string[]): void => void rig.git(...args);
  const kinds: Readonly<Record<string, () => void>> = {
    grow: () => rig.write(file, `${isThere ? readFileSync(rig.at(file), "latin1") : ""}more\n`),
    sameSize: () => isThere && rig.write(file, "x".repeat(lstatSync(rig.at(file)).size)),
    rewrite: () => isThere && rig.write(file, readFileSync(rig.at(file), "utf8")),
    touch: () => isThere && utimesSync(rig.at(file), new Date(), new Date()),
    oldTime: () => isThere && utimesSync(rig.at(file), 1, 1),
    mode: () => isThere && chmodSync(rig.at(file), lstatSync(rig.at(file)).mode ^ 0o111),
    remove: () => rmSync(rig.at(file), { force: true }),
    rename: () => isThere && renameSync(rig.at(file), rig.at(`${file}.r${roll(3)}`)),
    replace: () => {
      rig.write(`${file}.tmp`, "another");
      renameSync(rig.at(`${file}.tmp`), rig.at(file));
    },
    link: () => {
      rmSync(rig.at(file), { force: true });
      symlinkSync("nowhere", rig.at(file));
    },
    directoryInPlace: () => {
      rmSync(rig.at(file), { force: true });
      rig.write(`${file}/inner.txt`, "inner");
    },
    add: () => rig.write(`src/new-${roll(6)}.ts`, "new"),
    addDeep: () => rig.write(`deep/${roll(3)}/${roll(3)}/new.ts`, "new"),
    addIgnored: () => rig.write(`src/some-${roll(4)}.log`, "log"),
    growIgnored: () => rig.write(`build/out-${roll(4)}/x.js`, "y".repeat(roll(50))),
    removeDirectory: () => rmSync(rig.at("deep"), { recursive: true, force: true }),
    emptyDirectory: () => mkdirSync(rig.at(`empty-${roll(3)}`), { recursive: true }),
    ignore: () => rig.write(roll(2) === 0 ? ".gitignore" : "src/.gitignore", `*.log\nbuild/\nnew-${roll(6)}.ts\n`),
    exclude: () => writeFileSync(rig.at(".git/info/exclude"), `deep/${roll(3)}/\n`),
    ignoreForAll: () => {
      mkdirSync(join(rig.home, ".config/git"), { recursive: true });
      writeFileSync(join(rig.home, ".config/git/ignore"), `new-${roll(6)}.ts\n`);
    },
    ignoreByName: () => {
      writeFileSync(join(rig.home, "mine"), `new-${roll(6)}.ts\n`);
      rig.git("config", "core.excludesFile", "~/mine");
    },
    include: () => {
      writeFileSync(join(rig.home, "other"), `[core]\n\texcludesFile = ${rig.home}/theirs-${roll(2)}\n`);
      writeFileSync(join(rig.home, `theirs-${roll(2)}`), `new-${roll(6)}.ts\n`);
      writeFileSync(join(rig.home, ".gitconfig"), "[include]\n\tpath = other\n");
    },
    repository: () => execFileSync("git", ["init", "-q", rig.at("nested")]),
    noRepository: () => rmSync(rig.at("nested/.git"), { recursive: true, force: true }),
    stage: () => quietly("add", "--", file),
    stageAll: () => quietly("add", "-A"),
    unstage: () => quietly("reset", "-q"),
    forget: () => quietly("rm", "-q", "--cached", "--", file),
    removeStaged: () => quietly("rm", "-q", "-f", "--", file),
    move: () => quietly("mv", file, `${file}.moved`),
    commit: () => quietly("commit", "-q", "-m", "m"),
    commitAll: () => quietly("commit", "-q", "-a", "-m", "m"),
    soft: () => quietly("reset", "-q", "--soft", "HEAD~1"),
    hard: () => quietly("reset", "-q", "--hard"),
    restore: () => quietly("checkout", "--", file),
    branch: () => quietly("checkout", "-q", "-B", `b${roll(3)}`),
    back: () => quietly("checkout", "-q", "main"),
    stash: () => quietly("stash", "-q"),
    pop: () => quietly("stash", "pop", "-q"),
    status: () => quietly("status"),
    nothing: () => {},
  };
  // Mostly what needs no git, or the rest would be all that is seen.
  const names = roll(2) === 0 ? usual : Object.keys(kinds);
  const name = names[roll(names.length)] ?? "";
  try {
    kinds[name]?.();
  } catch {
    // A directory stands there, or git refuses it.
  }
  return `${name} ${file}`;
}

const isFull = process.env.SKEIN_FULL === "1";
const seeds = isFull ? [1, 2, 3, 4] : [1, 2];

test.each(seeds)(
  "after any change, what is known says what git says, or nothing (%i)",
  { timeout: 600_000 },
  async (seed) => {
    using rig = new WorktreeRig();
    const roll = dice(seed * 7_919);
    for (const name of ["a.ts", "b.ts", "c.md", "sub/d.ts"]) rig.write(`src/${name}`, name.repeat(3));
    rig.write(".gitignore", "*.log\nbuild/\n");
    rig.write("build/out-0/x.js", "y");
    rig.commit();
    const steps = isFull ? 1_500 : 60;
    let known = 0;
    const done: string[] = [];
    for (let step = 0; step < steps; step++) {
      for (let times = roll(2); times >= 0; times--) done.push(change(rig, roll));
      if (roll(3) > 0) await pause(settledMs);
      const kept = rig.record();
      if (kept?.tooMuchAt !== undefined) {
        // Left to git for an hour.
        rmSync(join(rig.state, ".worktrees"), { recursive: true });
        rmSync(rig.at("nested/.git"), { recursive: true, force: true });
      }
      const look = await rig.known();
      // Git is asked without being told of what is known.
      const right = await rig.asked();
      if (look !== null) {
        known += 1;
        // What git had told of may be as committed again by now: it is told of all the same.
        const told = Object.entries(look.stamps).filter(
          ([path]) => right.stamps[path] !== undefined || !kept.status.includes(path),
        );
        expect({ step, done: done.slice(-6), stamps: Object.fromEntries(told) }).toEqual({
          step,
          done: done.slice(-6),
          stamps: right.stamps,
        });
      }
      if (look === null || roll(4) === 0) await rig.learn();
    }
    expect(known).toBeGreaterThan(steps / 8);
  },
);
