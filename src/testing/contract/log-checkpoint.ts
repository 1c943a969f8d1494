// Contract of `Log.checkpoint` and `saved`: what folds had seen is there again, and nothing that did not become durable.

import { describe, expect, test } from "vitest";
import type { FoldImage, Log } from "../../log/log.ts";
import { at, freshStore, HELLO, type MakeLog, readAll, record, records } from "./log-under-test.ts";

const texts = (...parts: readonly string[]): readonly Uint8Array[] => parts.map((part) => Buffer.from(part));

export function describeCheckpoints(make: MakeLog): void {
  describe("checkpoint", () => {
    const inStore = freshStore(make);

    test("images come back part by part, under their name and version alone", () =>
      inStore(async ({ log, reopen }) => {
        await log.append({ records: [record("a"), record("b")], blobs: [HELLO] }, at(0));
        const images: readonly FoldImage[] = [
          { name: "one", version: 3, parts: texts("first", "", "x".repeat(300_000)) },
          { name: "two", version: 1, parts: texts("other") },
        ];
        const written = await log.checkpoint(images);
        await log.append(records("c"), at(2));
        const again = await reopen();
        expect({
          none: log.saved,
          written: written.ok && written.value.position,
          saved: again.saved?.position,
          one: await partsOf(again, "one", 3),
          two: await partsOf(again, "two", 1),
          older: again.saved?.parts("one", 2),
          unknown: again.saved?.parts("three", 1),
          end: again.end,
          records: (await readAll(again)).map(({ data }) => data),
          blob: await again.blob(HELLO.id),
        }).toEqual({
          none: null,
          written: 2,
          saved: 2,
          one: ["first", "", "x".repeat(300_000)],
          two: ["other"],
          older: null,
          unknown: null,
          end: 3,
          records: ["a", "b", "c"],
          blob: { ok: true, value: HELLO.bytes },
        });
      }));

    test("the newest one counts", () =>
      inStore(async ({ log, reopen }) => {
        for (const [index, text] of ["a", "b", "c"].entries()) {
          await log.append(records(text), at(index));
          await log.checkpoint([{ name: "one", version: 1, parts: texts(text) }]);
        }
        const again = await reopen();
        expect([again.saved?.position, await partsOf(again, "one", 1)]).toEqual([3, ["c"]]);
      }));

    test("it waits for what was accepted before it", () =>
      inStore(async ({ log, reopen }) => {
        void log.append(records("a", "b"), at(0));
        const written = log.checkpoint([{ name: "one", version: 1, parts: texts("ab") }]);
        void log.append(records("c"), at(2));
        expect([await written, log.durable >= 2]).toEqual([
          { ok: true, value: { position: 2, bytes: expect.any(Number) } },
          true,
        ]);
        const again = await reopen();
        expect([again.saved?.position, (await readAll(again, at(2))).map(({ data }) => data)]).toEqual([2, ["c"]]);
      }));
  });
}

async function partsOf(log: Log, name: string, version: number): Promise<readonly string[] | null> {
  const parts = log.saved?.parts(name, version) ?? null;
  if (parts === null) return null;
  const all: string[] = [];
  for await (const part of parts) all.push(Buffer.from(part).toString());
  return all;
}
