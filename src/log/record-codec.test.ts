// Records as bytes: any msgpack reader understands them, and what cannot be read is told from what can.

import { expect, test } from "vitest";
import { asPosition } from "../base/ids.ts";
import { asReplayed, decodeRecord, encodeRecord } from "./record-codec.ts";

test("a record is a msgpack array of type, version, time and data", () => {
  const bytes = encodeRecord({ type: "a", version: 1, atMs: 5, data: { k: [true, null] } });
  // By the msgpack specification: fixarray 4, fixstr "a", fixint 1, fixint 5, map of 1 (16-bit length), fixstr "k", fixarray 2, true, nil.
  expect(Buffer.from(bytes).toString("hex")).toBe("94a16101" + "05" + "de0001a16b" + "92c3c0");
});

test("bytes that are no record give null", () => {
  const broken = ["", "94a16101", "c0", "93a1610105", "9401010105", "94a16101" + "05" + "c0ff"];
  expect(broken.map((hex) => decodeRecord(Buffer.from(hex, "hex"), asPosition(0)))).toEqual(broken.map(() => null));
});

test("a replayed record is a copy, with only what msgpack can carry", () => {
  const data = { list: [1], text: "\ud800", when: new Map([["k", 1]]) };
  const { stored } = asReplayed([{ type: "a", version: 2, atMs: 7, data }], asPosition(3));
  data.list.push(2);
  expect(stored[0]).toEqual({
    position: 3,
    type: "a",
    version: 2,
    atMs: 7,
    data: { list: [1], text: "\ufffd", when: { k: 1 } },
  });
});
