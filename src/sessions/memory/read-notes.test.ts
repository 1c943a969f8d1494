// What readers are told is what the files hold: with an index and without, whatever has become of files and index since.

import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { unwrap } from "../../base/result.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { asRepositoryKey, asSessionKey } from "../presence/ids.ts";
import { mergedView, notesIn } from "./merged-view.ts";
import { indexFile, type Memory, memoryIn, noteFile, sessionPlace } from "./places.ts";
import { type ReadBounds, readAllNotes } from "./read-notes.ts";
import { searchNotes, searchWords } from "./search.ts";

const repository = asRepositoryKey("repo");
/** Later than the files' own times, so that they count as settled. */
const later = Date.now() + 3_600_000;

class Notes implements Disposable {
  readonly #place = temporaryDirectory();
  /** By so much the file system's times are other ones. */
  laterMs = 0;
  /** Notes' files that were opened since this was last asked for. */
  #opened: string[] = [];
  readonly memory: Memory = memoryIn(
    {
      ...syncFiles,
      read: (path, bytesMax) => {
        this.#opened.push(path);
        return syncFiles.read(path, bytesMax);
      },
      seeNow: (path, seen) => {
        const error = syncFiles.seeNow(path, seen);
        seen.changedMs += this.laterMs;
        return error;
      },
    },
    this.#place.path,
  );

  file(session: string, kind: "scratchpad" | "decisions" | "questions" = "decisions"): string {
    return noteFile(sessionPlace(this.memory, repository, asSessionKey(`codex_${session}_h`)), kind);
  }

  put(session: string, ...texts: readonly string[]): void {
    const path = this.file(session);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, texts.join(""));
  }

  async read({ bounds = null, now = later }: { readonly bounds?: ReadBounds | null; readonly now?: number } = {}) {
    this.#opened = [];
    const all = await readAllNotes(this.memory, repository, { now, words: [], bounds });
    const opened = this.#opened.map((path) => path.split("codex_")[1]?.split("_h")[0] ?? path);
    const found = (await notesIn(all)).map(({ who, text }) => [who.replace("codex ", ""), text] as const);
    await all.remember("u");
    return {
      opened,
      leftOut: all.leftOut,
      said: found.map(([who, text]) => `${who}: ${text}`),
      problems: all.problems,
    };
  }

  async search(query: string, branch: string | null = null): Promise<readonly string[]> {
    const words = searchWords(query) ?? [];
    const all = await readAllNotes(this.memory, repository, { now: later, words, bounds: null });
    const { hits } = await searchNotes(all, { branch, hitsMax: 10 });
    await all.remember("s");
    return hits.map(({ text }) => text);
  }

  get index(): string {
    return indexFile(this.memory, repository);
  }

  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
  }
}

function note(text: string, minute = 0, branch = "main"): string {
  const at = `2026-11-30T12:${`${minute}`.padStart(2, "0")}:00.000Z`;
  const quoted = text.split("\n").map((line) => `> ${line}`);
  return `## ${at} branch ${JSON.stringify(branch)}\n${quoted.join("\n")}\n\n`;
}

/** As many sessions as make an index worth it; the newest first is the order of their numbers. */
function twenty(): Notes {
  const notes = new Notes();
  for (let number = 10; number < 30; number++) notes.put(`${number}`, note(`äöü ${number}`, 59 - number));
  return notes;
}

const usual = Array.from({ length: 20 }, (_, index) => `${index + 10}: äöü ${index + 10}`);

/** What a change leaves to be said of session 15, and how it is made. The last two have the size that the file had. */
const changes: readonly (readonly [what: string, change: (path: string) => void, left: readonly string[]])[] = [
  ["appended to", (path) => appendFileSync(path, note("more", 44)), ["15: äöü 15", "15: more"]],
  ["torn while it is appended to", (path) => appendFileSync(path, note("torn", 44).slice(0, -1)), ["15: äöü 15"]],
  ["truncated", (path) => truncateSync(path, statSync(path).size - 1), []],
  ["removed", (path) => rmSync(path), []],
  ["removed with its directory", (path) => rmSync(dirname(path), { recursive: true }), []],
  ["written by hand", (path) => writeFileSync(path, "by hand\n"), ["15: by hand"]],
  [
    "replaced by another file with its size and times",
    (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(`${path}-new`, note("ÄÖÜ 51", 44));
      utimesSync(`${path}-new`, atime, mtime);
      renameSync(`${path}-new`, path);
    },
    ["15: ÄÖÜ 51"],
  ],
  [
    "rewritten with its size, and its time set back",
    (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, note("ÄÖÜ 51", 44));
      utimesSync(path, atime, mtime);
    },
    ["15: ÄÖÜ 51"],
  ],
];

for (const [what, change, left] of changes)
  test(`a file that is ${what} after it was indexed is read anew, and no other one`, async () => {
    using notes = twenty();
    expect((await notes.read()).said).toEqual(usual);
    expect(await notes.read()).toEqual({ opened: [], leftOut: 0, said: usual, problems: [] });
    change(notes.file("15"));
    const { said, opened } = await notes.read();
    expect([said.filter((line) => line.startsWith("15:")).toSorted(), opened.filter((one) => one !== "15")]).toEqual([
      left.toSorted(),
      [],
    ]);
    expect(said.filter((line) => !line.startsWith("15:"))).toEqual(usual.filter((line) => !line.startsWith("15:")));
  });

test("a note that is rewritten between the look at its file and the reading of its words is not shown as it was", async () => {
  using notes = twenty();
  await notes.read();
  const all = await readAllNotes(notes.memory, repository, { now: later, words: [], bounds: null });
  const before = note("äöü 15", 44);
  writeFileSync(notes.file("15"), before.replace("12:44", "12:45"));
  writeFileSync(notes.file("16"), before.slice(0, -1));
  rmSync(notes.file("17"));
  appendFileSync(notes.file("18"), note("more"));
  expect((await notesIn(all)).map(({ text }) => text)).toEqual(
    usual.map((line) => line.slice(4)).filter((line) => !/15|16|17/.test(line)),
  );
});

test("a file that was changed just now is not trusted to the index", async () => {
  using notes = twenty();
  const now = statSync(notes.file("15")).ctimeMs + 1_000;
  await notes.read({ now });
  expect((await notes.read({ now })).opened.length).toBe(20);
});

test("a time that another version of ours has rounded in another way is the same; two microseconds later is another", async () => {
  using notes = twenty();
  await notes.read();
  notes.laterMs = 0.0005;
  expect(await notes.read()).toEqual({ opened: [], leftOut: 0, said: usual, problems: [] });
  notes.laterMs = 0.002;
  const { opened, said } = await notes.read();
  expect([opened.toSorted(), said]).toEqual([usual.map((line) => line.slice(0, 2)), usual]);
});

test("notes are counted and put in order the same whether the index has all of them, a part or none", async () => {
  using notes = new Notes();
  const question = (id: string, minute: number, branch: string) =>
    note(`asks ${id}`, minute, branch).replace("\n", ` question ${id}\n`);
  const answer = (id: string, minute: number, branch: string) =>
    note(`answers ${id}`, minute, branch).replace("\n", ` answers ${id}\n`);
  // Twelve sessions write on main and eight on other; one of these answers a question of main's.
  for (let number = 10; number < 22; number++)
    notes.put(`${number}`, note(`main ${number}`, 59 - number), question(`0000aa${number}`, 58 - number, "main"));
  for (let number = 22; number < 30; number++) notes.put(`${number}`, note(`other ${number}`, 59 - number, "other"));
  appendFileSync(notes.file("25"), answer("0000aa13", 50, "other"));
  appendFileSync(notes.file("26"), "by hand\n");
  const look = async () => {
    const all = await readAllNotes(notes.memory, repository, { now: later, words: [], bounds: null });
    const options = { reader: "you", now: later, charsMax: 20_000 };
    const views = [];
    for (const branch of ["main", "other", "third"]) {
      const { text, ...counted } = await mergedView(all, { branch, ...options });
      views.push({ ...counted, said: [...text.matchAll(/^ {2}> (.*)$/gm)].map(([, words]) => words) });
    }
    return views;
  };
  const of = (from: number, end: number, word: (number: number) => string) =>
    Array.from({ length: end - from }, (_, index) => word(from + index));
  const asked = of(10, 22, (number) => `asks 0000aa${number}`).filter((words) => !words.endsWith("13"));
  const mains = of(10, 22, (number) => `main ${number}`).toSpliced(4, 0, "asks 0000aa13");
  // Session 13's question is as old as 14's note, and comes first by its session's name.
  const right = [
    { notes: 25, sessions: 13, openQuestions: 11, said: [...asked, ...mains, "by hand"] },
    {
      notes: 10,
      sessions: 8,
      openQuestions: 0,
      said: ["answers 0000aa13", ...of(22, 30, (number) => `other ${number}`), "by hand"],
    },
    { notes: 1, sessions: 1, openQuestions: 0, said: ["by hand"] },
  ];
  expect(await look()).toEqual(right);
  expect((await notes.read()).opened.length).toBe(20);
  expect((await notes.read()).opened).toEqual([]);
  expect(await look()).toEqual(right);
  for (const number of ["12", "13", "25", "26"]) appendFileSync(notes.file(number), "\n");
  expect(await look()).toEqual(right);
  appendFileSync(notes.file("25"), answer("0000aa20", 51, "other"));
  const [main, other] = await look();
  expect([main?.openQuestions, main?.notes, other?.said[0]]).toEqual([10, 25, "answers 0000aa20"]);
  rmSync(notes.file("25"));
  expect((await look())[0]?.openQuestions).toBe(12);
});

test("an index that is torn, changed, of another form or empty counts for nothing", async () => {
  using notes = twenty();
  await notes.read();
  const built = unwrap(await syncFiles.read(notes.index, 1_000_000), "index");
  expect([await notes.search("öü 15"), await notes.search("Äöü 15")]).toEqual([["äöü 15"], ["äöü 15"]]);
  /** As after a crash: the length is there, and a block of the disk has nothing. */
  const lost = (from: number) => built.map((byte, at) => (at >= from && at < from + 512 ? 0 : byte));
  const damages = [
    built.slice(0, -1),
    built.slice(0, 40),
    new Uint8Array(0),
    new Uint8Array(built.length),
    Buffer.from("skein-notes 2 1 1 1\n"),
    ...Array.from({ length: Math.ceil(built.length / 512) }, (_, block) => lost(block * 512)),
  ];
  for (const damage of damages) {
    writeFileSync(notes.index, damage);
    expect(await notes.search("äöü 15")).toEqual(["äöü 15"]);
    writeFileSync(notes.index, damage);
    expect((await notes.read()).said).toEqual(usual);
  }
});

test("whichever block of an index a crash has taken, each word is found", async () => {
  using notes = new Notes();
  const word = (number: number) => `w${(number * 7_919 + 100_000).toString(36)}`;
  const [files, own] = [20, 60];
  for (let file = 0; file < files; file++)
    notes.put(`${file + 10}`, note(Array.from({ length: own }, (_, at) => word(file * own + at)).join(" ")));
  await notes.read();
  const built = unwrap(await syncFiles.read(notes.index, 1_000_000), "index");
  expect(built.length).toBeGreaterThan(20 * 512);
  for (let block = 0; block * 512 < built.length; block++) {
    const damaged = Uint8Array.from(built).fill(0, block * 512, (block + 1) * 512);
    for (let number = block % 7; number < files * own; number += 97) {
      writeFileSync(notes.index, damaged);
      expect((await notes.search(word(number))).length).toBe(1);
    }
  }
});

test("an index grows by what was read, keeps what was not, and loses what is gone", async () => {
  using notes = twenty();
  await notes.read();
  for (let number = 30; number < 50; number++) notes.put(`${number}`, note(`later ${number}`, 59 - number));
  rmSync(dirname(notes.file("10")), { recursive: true });
  expect((await notes.read()).opened.length).toBe(20);
  const { opened, said } = await notes.read();
  expect([opened, said.length, said.includes("11: äöü 11"), said.includes("49: later 49")]).toEqual([
    [],
    39,
    true,
    true,
  ]);
  expect([await notes.search("later 33"), await notes.search("äöü 10"), await notes.search("ÄÖÜ 29")]).toEqual([
    ["later 33"],
    [],
    ["äöü 29"],
  ]);
});

test("of two readers that would renew one index the second leaves what the first has put there", async () => {
  using notes = twenty();
  await notes.read();
  const readers = [];
  for (const first of [30, 50]) {
    for (let number = first; number < first + 20; number++)
      notes.put(`${number}`, note(`later ${number}`, 90 - number));
    readers.push(await readAllNotes(notes.memory, repository, { now: later, words: [], bounds: null }));
  }
  for (const [at, reader] of readers.entries()) await reader.remember(`${at}`);
  expect((await notes.read()).opened.length).toBe(20);
  for (const [query, found] of [
    ["later 33", ["later 33"]],
    ["later 55", ["later 55"]],
    ["öü 15", ["äöü 15"]],
  ] as const)
    expect(await notes.search(query)).toEqual(found);
});

test("M9 a start without an index reads a part, says so, and the next ones go on from there", async () => {
  using notes = new Notes();
  for (let number = 10; number < 60; number++) notes.put(`${number}`, note(`note ${number}`));
  const bounds = { sessions: 100, filesRead: 20 };
  const seen: [number, number, number][] = [];
  for (let start = 0; start < 4; start++) {
    const { opened, leftOut, said } = await notes.read({ bounds });
    seen.push([opened.length, leftOut, said.length]);
  }
  expect(seen).toEqual([
    [20, 30, 20],
    [20, 10, 40],
    [10, 0, 50],
    [10, 0, 50],
  ]);
  const part = await readAllNotes(notes.memory, repository, {
    now: later,
    words: [],
    bounds: { sessions: 30, filesRead: 20 },
  });
  const { text } = await mergedView(part, { branch: "main", reader: "you", now: later, charsMax: 6_000 });
  expect(text).toContain("Not whole: 20 sessions could not be read");
  expect((await notes.read()).said.length).toBe(50);
});

test("with more sessions than are looked at, new ones and those that wrote last come first, and the index keeps the others", async () => {
  using notes = twenty();
  await notes.read();
  for (let number = 30; number < 47; number++) notes.put(`${number}`, note(`later ${number}`, 59 - number));
  const { said, leftOut } = await notes.read({ bounds: { sessions: 32, filesRead: 20 } });
  expect([said.length, said.filter((line) => line.includes("later")).length, leftOut]).toEqual([32, 16, 5]);
  expect((await notes.read()).opened).toEqual(["46"]);
});

test("a search wants every word, in one note, whatever the case and the way a letter is written, indexed or not", async () => {
  using notes = new Notes();
  notes.put(
    "a",
    note("The Cafe\u0301 parser\nreads comments", 0),
    note("Parser only", 1, "other"),
    note("\u4e2d\u6587", 2),
  );
  const all = async () => [
    await notes.search("parser"),
    await notes.search("comments parser"),
    await notes.search("café"),
    await notes.search("only comments"),
    await notes.search("parser", "main"),
    await notes.search("\u6587"),
    await notes.search("\u00e9 \u00a9"),
  ];
  const cafe = "The Cafe\u0301 parser\nreads comments";
  const right = [["Parser only", cafe], [cafe], [cafe], [], [cafe], ["\u4e2d\u6587"], []];
  expect(await all()).toEqual(right);
  for (let number = 10; number < 30; number++) notes.put(`${number}`, note(`filler ${number}`));
  expect((await notes.search("filler")).length).toBe(10);
  expect((await notes.read()).opened).toEqual([]);
  expect(await all()).toEqual(right);
});

test("whatever is searched for, the answer is the same with an index that has grown as without one", async () => {
  using notes = new Notes();
  const random = seededRandom(1, "words of notes");
  const words = ["ab", "abc", "Bc", "c-ab", "é", "É\u3000x", "\u00a0", "ab\u2028c", "0", "äb\tc", "ABC."];
  const text = () => Array.from({ length: 1 + random.integer(4) }, () => words[random.integer(words.length)]).join(" ");
  const write = (from: number, end: number) => {
    for (let number = from; number < end; number++)
      notes.put(
        `${number}`,
        ...[0, 1, 2].map(() => note(text(), random.integer(60), number % 3 === 0 ? "other" : "main")),
      );
  };
  const queries = ["a", "ab", "abc", "b c", "ab é", "x", "é x", "c-", "0 abc", "2028", "c", "nothing", "ab nothing"];
  const answers = async () => {
    const all: (readonly string[])[] = [];
    for (const query of queries) for (const branch of [null, "main"]) all.push(await notes.search(query, branch));
    return all;
  };
  for (const [from, end] of [
    [10, 40],
    [35, 60],
    [20, 24],
    [60, 80],
  ] as const) {
    write(from, end);
    rmSync(notes.index, { force: true });
    const right = await answers();
    expect(right.filter((found) => found.length > 0).length).toBeGreaterThan(queries.length);
    rmSync(notes.index, { force: true });
    await notes.read();
    expect(await answers()).toEqual(right);
    // The next round's files are read beside the index of this one, and then put into it.
    write(from + 3, from + 20);
    const beside = await answers();
    expect(await answers()).toEqual(beside);
    rmSync(notes.index, { force: true });
    expect(await answers()).toEqual(beside);
  }
});

test("of a file that is too long its end is read, from the first whole note on", async () => {
  using notes = twenty();
  const long = Array.from({ length: 300 }, (_, index) => note(`long ${index} ${"é".repeat(2_000)}`, 10));
  notes.put("15", ...long);
  await notes.read();
  const bytes = long.map((text) => Buffer.byteLength(text));
  let [room, first] = [1024 * 1024, 300];
  while (room >= (bytes[first - 1] ?? 0)) room -= bytes[--first] ?? 0;
  const { said } = await notes.read();
  const own = said.filter((line) => line.startsWith("15:")).map((line) => Number(/long (\d+) é/.exec(line)?.[1]));
  expect(own).toEqual(Array.from({ length: 300 - first }, (_, index) => first + index));
  expect((await notes.search("long 299"))[0]?.startsWith("long 299 é")).toBe(true);
});
