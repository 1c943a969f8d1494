// One session's file: torn lines, foreign lines, summaries that fit and that do not, and disks that fail.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { unwrap } from "../../base/result.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import { simHost } from "../../testing/sim/host.ts";
import type { NewLine } from "./line.ts";
import { appendLine, isLagging, nothingRead, readSession, type SessionFiles, writeSummary } from "./session-file.ts";

const edit = (at: number, path: string): NewLine => ({ at, kind: "files-edited", files: [path], how: "tool" });

async function append(directory: string, line: NewLine, files: SessionFiles = syncFiles): Promise<void> {
  const before = unwrap(await readSession(files, directory), "read");
  unwrap(await appendLine(files, directory, line, before), "append");
}

const read = async (directory: string) => unwrap(await readSession(syncFiles, directory), "read");

test("P10: a torn line costs itself and nothing else, and the next line begins anew", async () => {
  using place = temporaryDirectory();
  const directory = join(place.path, "s");
  await append(directory, edit(1, "a"));
  appendFileSync(join(directory, "events.jsonl"), '{"v":1,"at":2,"kind":"files-ed');
  const torn = (await read(directory)).fold;
  await append(directory, edit(3, "c"));
  const { fold } = await read(directory);
  expect(
    [torn, fold].map(({ files, lines, unread, whole }) => [files.map(({ path }) => path), lines, unread, whole]),
  ).toEqual([
    [["a"], 1, 0, false],
    [["a", "c"], 2, 1, true],
  ]);
});

test("P10: lines of a newer version, of no JSON and of no text are passed over", async () => {
  using place = temporaryDirectory();
  await append(place.path, edit(1, "a"));
  appendFileSync(
    join(place.path, "events.jsonl"),
    Buffer.from('{"v":2,"at":2,"kind":"new"}\nnonsense\n\xff\xfe\n\n', "latin1"),
  );
  await append(place.path, edit(3, "c"));
  const { fold } = await read(place.path);
  expect([fold.files.map(({ path }) => path), fold.unread]).toEqual([["a", "c"], 3]);
});

test("P10: one session that cannot be read is told of, and the others are shown", async () => {
  using rig = new PresenceRig();
  for (const id of ["one", "two"]) await rig.session(id).fire({ kind: "seen" });
  const repository = unwrap(await rig.registry.repositories(), "repositories")[0];
  if (repository === undefined) throw new Error("there is one");
  const broken = join(rig.state, "presence", repository, "claude-code_broken_0");
  mkdirSync(join(broken, "events.jsonl"), { recursive: true });
  const { rows, problems } = await rig.look();
  expect([rows.map(({ session }) => session).toSorted(), problems]).toEqual([
    ["one", "two"],
    [expect.stringContaining("claude-code_broken_0/events.jsonl")],
  ]);
});

test("the summary and the tail give what the whole file gives, at every length", async () => {
  using place = temporaryDirectory();
  const [short, long] = [join(place.path, "short"), join(place.path, "long")];
  for (let at = 1; at <= 120; at++) {
    const line: NewLine =
      at % 7 === 0
        ? { at, kind: "shell-started", call: `c${at}` }
        : at % 11 === 0
          ? { at, kind: "waiting", reason: "x" }
          : edit(at, `f${at % 40}`);
    await append(long, line);
    const before = await read(short);
    unwrap(await appendLine(syncFiles, short, line, before), "append");
    if (at % 13 === 0) unwrap(await writeSummary(syncFiles, short, await read(short), "t"), "summary");
  }
  const [summarized, whole] = [await read(short), await read(long)];
  expect(summarized.summarized).toBeGreaterThan(0);
  expect(summarized.fold).toEqual(whole.fold);
});

test.each([
  ["is of another file, and points into a line", (offset: number) => ({ offset: offset - 3 })],
  ["is longer than the file", (offset: number) => ({ offset: offset + 100 })],
  ["is of another version", () => ({ v: 99 })],
  ["is no summary", () => ({ fold: { lines: -1 } })],
])("a summary that %s is not used", async (_, change) => {
  using place = temporaryDirectory();
  for (let at = 1; at <= 5; at++) await append(place.path, edit(at, `f${at}`));
  const whole = await read(place.path);
  unwrap(await writeSummary(syncFiles, place.path, { ...whole, fold: { ...whole.fold, files: [] } }, "t"), "summary");
  const path = join(place.path, "summary.json");
  const summary = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...summary, ...change(summary.offset) }));
  expect(await read(place.path)).toEqual(whole);
  writeFileSync(path, "{");
  expect(await read(place.path)).toEqual(whole);
});

test("a summary becomes due after some lines, and is no longer due once it is there", async () => {
  using place = temporaryDirectory();
  let count = 0;
  while (!isLagging(await read(place.path))) await append(place.path, edit(++count, `some/longer/path/${count}.ts`));
  expect(count).toBeGreaterThan(10);
  unwrap(await writeSummary(syncFiles, place.path, await read(place.path), "t"), "summary");
  expect(isLagging(await read(place.path))).toBe(false);
});

test("P30: a disk that is full, or fails, is an error value and leaves whole lines", async () => {
  const host = simHost({ seed: 1 });
  unwrap(await host.files.makeDirectory("/s"), "make");
  await append("/s", edit(1, "a"), host.files);
  for (const code of ["no-space", "io"] as const) {
    host.disk.failNext({ op: "append", code, afterBytes: 10 });
    const before = unwrap(await readSession(host.files, "/s"), "read");
    const failed = await appendLine(host.files, "/s", edit(2, "b"), before);
    expect(failed).toMatchObject({ ok: false, error: { code } });
  }
  host.disk.clearFaults();
  await append("/s", edit(3, "c"), host.files);
  const { fold } = unwrap(await readSession(host.files, "/s"), "read");
  expect(fold.files.map(({ path }) => path)).toEqual(["a", "c"]);
});

test("a file that is not there is an empty session", async () => {
  using place = temporaryDirectory();
  expect(await read(join(place.path, "none"))).toEqual(nothingRead);
});
