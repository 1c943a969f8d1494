// Which notes hold a word, from their pieces of text; the bytes are worked out by hand.

import { expect, test } from "vitest";
import { type FullTable, piecesHolding, readList, TokenLists } from "./note-tokens.ts";

/** Numbers of the notes, piece by piece. */
function heldIn(lists: TokenLists, word: string): readonly number[][] {
  return heldBy(lists.table(null), word);
}

function heldBy(table: FullTable | null, word: string): readonly number[][] {
  if (table === null) throw new Error("a list is damaged");
  return piecesHolding(table, word).map((piece) => {
    const list = table.lists.subarray(table.listEnds[piece - 1] ?? 0, table.listEnds[piece]);
    const notes = new Uint32Array(1_000_000);
    return [...notes.subarray(0, readList(list, notes) ?? -1)];
  });
}

test("a word is found in each piece that holds it, and white space parts pieces", () => {
  const lists = new TokenLists();
  lists.add("the parser\nparses\tcomments", 0);
  lists.add("", 1);
  lists.add("  a parser parser  ", 2);
  lists.add("sparse", 3);
  expect(heldIn(lists, "parse")).toEqual([[0, 2], [0], [3]]);
  expect(heldIn(lists, "parser")).toEqual([[0, 2]]);
  expect(heldIn(lists, "parses")).toEqual([[0]]);
  expect([heldIn(lists, "rparses"), heldIn(lists, "commentsa"), heldIn(lists, "x")]).toEqual([[], [], []]);
  expect(heldIn(lists, "comments")).toEqual([[0]]);
});

test("a list is what each number is beyond the one before, in bytes of seven bits, and in order however it was made", () => {
  const lists = new TokenLists();
  for (const note of [0, 1, 129, 257, 16_641, 400_000]) lists.add("x", note);
  // 1, 1, 128, 128, 16384, 383359.
  const former = lists.table(null);
  expect([...(former?.lists ?? [])]).toEqual([1, 1, 0x80, 1, 0x80, 1, 0x80, 0x80, 1, 0xff, 0xb2, 0x17]);
});

test("what was there before has its notes under their new numbers, with those that are added and without those that are no more", () => {
  const before = new TokenLists();
  before.add("shared old", 0);
  before.add("gone shared", 1);
  before.add("old", 2);
  const former = before.table(null);
  if (former === null) throw new Error("a list is damaged");
  // A new note came first, the second is no more, another came between the others.
  const numberOf = Int32Array.of(1, -1, 300);
  const added = new TokenLists();
  added.add("new shared", 0);
  added.add("shared new", 200);
  const table = added.table({ ...former, numberOf });
  expect(["shared", "old", "gone", "new"].map((word) => heldBy(table, word))).toEqual([
    [[0, 1, 200]],
    [[1, 300]],
    [],
    [[0, 200]],
  ]);
  expect(new TokenLists().table({ ...former, numberOf: Int32Array.of(0, 1, 2) })).toEqual({
    pieces: former.pieces,
    pieceEnds: former.pieceEnds,
    lists: former.lists,
    listEnds: former.listEnds,
  });
  for (const lists of [Buffer.alloc(0), Buffer.alloc(former.lists.length), former.lists.subarray(0, -1)])
    expect(added.table({ ...former, lists, numberOf })).toBe(null);
});

test.each([
  ["nothing", []],
  ["a lost byte", [1, 0, 1]],
  ["an end in the middle of a number", [1, 0x80]],
  ["a number with too many bytes", [0x80, 0x80, 0x80, 0x80, 1]],
  ["a note that the index does not have", [1, 3]],
])("a list with %s is no list", (_, bytes) => {
  expect(readList(Uint8Array.from([1, 2]), new Uint32Array(3))).toBe(2);
  expect(readList(Uint8Array.from(bytes), new Uint32Array(3))).toBe(null);
});
