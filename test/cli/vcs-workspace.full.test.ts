// `skein vcs workspace` and commits from one, through the real program: others' work is never taken back, and nobody is stuck.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { lastJson, skein } from "../support/skein.ts";
import { type Small, smallTest as test } from "../support/small-repository.ts";

const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const edited = (at: number, text: string) => lines.with(at, `${text}\n`).join("");

function commands({ box, repository }: Small) {
  const run = (words: string[], ...args: string[]) =>
    skein(box, { args: ["vcs", ...words, "--store", join(box.root, "store"), "--json", ...args], cwd: repository });
  return {
    run,
    add: async (name: string) => String(lastJson(await run(["workspace", "add", name])).root),
    sync: (name: string) => run(["workspace", "sync", name]),
    commit: (from: string, base: string, ...args: string[]) =>
      run(["commit"], "--from", from, "--base", base, "-m", "x", ...args),
  };
}

test("S3 S9 others' work between two snapshots is neither taken back nor brought back by a commit from a workspace", async ({
  small,
}) => {
  const { run, add, sync, commit } = commands(small);
  small.make({ f: { kind: "file", bytes: lines.join("") } });
  await run(["import"]);
  const [mine, theirs] = [await add("mine"), await add("theirs")];
  writeFileSync(join(mine, "f"), edited(3, "mine"));
  writeFileSync(join(theirs, "f"), edited(15, "theirs"));
  writeFileSync(join(theirs, "new"), "new\n");
  const first = lastJson(await commit(theirs, "1"));
  const overlap = lastJson(await sync("mine"));
  rmSync(join(theirs, "new"));
  const second = lastJson(await commit(theirs, "2"));
  const asNewest = await commit(mine, "head");
  mkdirSync(join(mine, "sub"));
  const fromBelow = await commit(join(mine, "sub"), "1");
  const landed = lastJson(await commit(mine, "1"));
  const synced = lastJson(await sync("mine"));
  const again = lastJson(await commit(mine, "head"));
  const removed = await run(["workspace", "rm", "mine"]);

  expect([first.outcome, second]).toMatchObject([
    { kind: "landed", position: 2 },
    { puts: 0, deletes: 1 },
  ]);
  expect(overlap).toMatchObject({ position: 1, updated: [], overlaps: ["f"] });
  expect([asNewest.exitCode, lastJson(asNewest).error]).toEqual([
    2,
    expect.stringContaining("the workspace mine is at snapshot 1, and snapshot 3 has others' changes besides"),
  ]);
  expect([fromBelow.exitCode, lastJson(fromBelow).error]).toEqual([
    2,
    expect.stringContaining("is inside a workspace"),
  ]);
  expect(landed).toMatchObject({ puts: 1, deletes: 0, outcome: { kind: "landed", position: 4, merged: ["f"] } });
  expect(synced).toMatchObject({ position: 4, updated: ["f"], overlaps: [] });
  expect(again).toMatchObject({ outcome: { kind: "unchanged", position: 4 } });
  expect(removed.exitCode).toBe(0);
  const shown = await add("after");
  expect(readFileSync(join(shown, "f"), "utf8")).toBe(lines.with(3, "mine\n").with(15, "theirs\n").join(""));
  expect(existsSync(join(shown, "new"))).toBe(false);
});

test("S20 a workspace whose making was cut off is made anew under its name", async ({ small }) => {
  const { run, add } = commands(small);
  small.make({ f: { kind: "file", bytes: "f\n" } });
  await run(["import"]);
  const whole = await add("whole");
  // As a killed `add` leaves it: the record is the last that is written.
  const half = join(whole, "..", "..", "half");
  mkdirSync(join(half, "tree"), { recursive: true });
  const shown = await run(["workspace", "show", "half"]);
  const root = await add("half");
  const taken = await run(["workspace", "add", "half"]);
  expect([shown.exitCode, lastJson(shown).error]).toEqual([1, expect.stringContaining("cut off, or is under way")]);
  expect([readFileSync(join(root, "f"), "utf8"), taken.exitCode]).toEqual(["f\n", 2]);
});
