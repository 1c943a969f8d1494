// Contract of the blobs of a Log: there from their acceptance, stored once, never under another's name.

import { describe, expect, test } from "vitest";
import { asBlobId } from "../../base/ids.ts";
import { at, blobs, EMPTY, EMPTY_SHA256, freshStore, HELLO, type MakeLog, readAll, record } from "./log-under-test.ts";

export function describeBlobs(make: MakeLog): void {
  describe("blobs", () => {
    const inStore = freshStore(make);

    test("a blob can be read from its acceptance on", () =>
      inStore(async ({ log }) => {
        const missing = [log.hasBlob(HELLO.id), await log.blob(HELLO.id)];
        const answer = log.append({ records: [record("a")], blobs: [EMPTY, HELLO, EMPTY_SHA256] }, at(0));
        const accepted = [log.hasBlob(HELLO.id), bytesOf(await log.blob(HELLO.id))];
        await answer;
        const durable = [];
        for (const { id } of [EMPTY, HELLO, EMPTY_SHA256]) durable.push(log.hasBlob(id), bytesOf(await log.blob(id)));
        expect({ missing, accepted, durable }).toEqual({
          missing: [false, { ok: false, error: { kind: "missing", id: HELLO.id } }],
          accepted: [true, "hello\n"],
          durable: [true, "", true, "hello\n", true, ""],
        });
      }));

    test("how many bytes a blob has is known from its acceptance on", () =>
      inStore(async ({ log }) => {
        const missing = log.blobBytes(HELLO.id);
        const answer = log.append({ records: [record("a")], blobs: [EMPTY, HELLO, EMPTY_SHA256] }, at(0));
        const accepted = log.blobBytes(HELLO.id);
        await answer;
        const durable = [EMPTY, HELLO, EMPTY_SHA256].map(({ id }) => log.blobBytes(id));
        expect({ missing, accepted, durable }).toEqual({ missing: null, accepted: 6, durable: [0, 6, 0] });
      }));

    test("a batch of blobs alone moves no position", () =>
      inStore(async ({ log }) => {
        const answer = await log.append(blobs(HELLO), at(0));
        const again = await log.append(blobs(HELLO, HELLO), at(0));
        expect([answer, again, log.end, await readAll(log)]).toEqual([
          { ok: true, value: 0 },
          { ok: true, value: 0 },
          0,
          [],
        ]);
      }));

    test("neither the giver nor a reader of bytes can change what is stored", () =>
      inStore(async ({ log }) => {
        const bytes = new Uint8Array(HELLO.bytes);
        const answer = log.append(blobs({ id: HELLO.id, bytes }), at(0));
        bytes.fill(0);
        const early = await log.blob(HELLO.id);
        if (early.ok) early.value.fill(0);
        await answer;
        const late = await log.blob(HELLO.id);
        if (late.ok) late.value.fill(0);
        expect(bytesOf(await log.blob(HELLO.id))).toBe("hello\n");
      }));

    test("bytes under another's id are a bug of the caller, and nothing is accepted", () =>
      inStore(async ({ log }) => {
        const wrong = { records: [record("a")], blobs: [{ id: EMPTY.id, bytes: HELLO.bytes }] };
        expect(() => log.append(wrong, at(0))).toThrow(EMPTY.id);
        expect(() => log.append(blobs({ id: asBlobId("E69D"), bytes: EMPTY.bytes }), at(0))).toThrow("E69D");
        expect([log.end, log.hasBlob(EMPTY.id), await log.flushed()]).toEqual([
          0,
          false,
          { ok: true, value: undefined },
        ]);
      }));
  });
}

function bytesOf(result: { readonly ok: boolean; readonly value?: Uint8Array }): string | null {
  return result.value === undefined ? null : new TextDecoder().decode(result.value);
}
