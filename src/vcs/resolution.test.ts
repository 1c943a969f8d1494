// Resolutions that write beside the conflict or leave a side out: what may be written where, and what the history names.

import { describe, expect, test } from "vitest";
import { asConflictId, asTaskId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import {
  asPath,
  commit,
  commitsOf,
  entryFor,
  type FileTexts,
  imageOf,
  type Rig,
  recordsOf,
  request,
  rigWith,
  tree,
} from "../testing/vcs/vcs-rig.ts";
import { vcsFold } from "./fold.ts";
import type { DiscardedSide } from "./types.ts";

const c1 = asConflictId("c1");
const text = "1\n2\n3\n";

async function resolve(rig: Rig, base: number, files: FileTexts, discarded: readonly DiscardedSide[] = []) {
  return unwrap(await rig.vcs.commit({ ...request({ by: 9, base, files, resolves: c1 }), discarded }), "commit");
}

const edited = text.replace("3", "t");

/** Task 1 moves `d/g` to `e/g`, changes its last line and adds `new`; task 2 edits it there, too. */
async function movedOnHead(): Promise<Rig> {
  const rig = await rigWith({ "d/g": text, other: "o\n" });
  await commit(rig, { by: 1, base: 1, files: { "d/g": null, "e/g": edited, new: "n\n" } });
  await commit(rig, { by: 2, base: 1, files: { "d/g": `${text}4\n` } });
  return rig;
}

/** The other way round: the held commit moves what the head has edited. */
async function movedByHeld(): Promise<Rig> {
  const rig = await rigWith({ "d/g": text, other: "o\n" });
  await commit(rig, { by: 1, base: 1, files: { "d/g": `${text}4\n` } });
  await commit(rig, { by: 2, base: 1, files: { "d/g": null, "e/g": edited, new: "n\n" } });
  return rig;
}

describe("S3 a rename against an edit", () => {
  test("is seen from either side, also where the moved file was changed", async () => {
    const [first, second] = [await movedOnHead(), await movedByHeld()];
    const views = [unwrap(await first.vcs.conflictView(c1), "view"), unwrap(await second.vcs.conflictView(c1), "view")];
    expect(views.map(({ moves }) => moves)).toEqual([
      [{ from: "d/g", to: "e/g", side: "ours", entry: entryFor(edited) }],
      [{ from: "d/g", to: "e/g", side: "theirs", entry: entryFor(edited) }],
    ]);
    expect(views[0]?.headCommits.map(({ position }) => position)).toEqual([2]);
  });

  test("what shares less than half of its bytes is not taken for a move", async () => {
    const rig = await rigWith({ a: text });
    await commit(rig, { by: 1, base: 1, files: { a: null, b: "x\ny\n3\n" } });
    await commit(rig, { by: 2, base: 1, files: { a: `${text}4\n` } });
    expect(unwrap(await rig.vcs.conflictView(c1), "view").moves).toEqual([]);
  });

  test("the edit lands at the new path, and the old one does not come back", async () => {
    const [first, second] = [await movedOnHead(), await movedByHeld()];
    await resolve(first, 3, { "d/g": null, "e/g": `${text}4\n` });
    await resolve(second, 3, { "d/g": null, "e/g": `${edited}4\n` });
    expect([await tree(first), await tree(second)]).toEqual([
      { "e/g": `${text}4\n`, new: "n\n", other: "o\n" },
      { "e/g": `${edited}4\n`, new: "n\n", other: "o\n" },
    ]);
  });

  test("a later change of the new path makes the resolution stale, and is not overwritten", async () => {
    const rig = await movedOnHead();
    await commit(rig, { by: 3, base: 3, files: { "e/g": `0\n${edited}` } });
    const stale = await resolve(rig, 3, { "d/g": null, "e/g": `${text}4\n` });
    const view = unwrap(await rig.vcs.conflictView(c1), "view");
    const again = await resolve(rig, view.head, { "d/g": null, "e/g": `0\n${text}4\n` });
    expect([stale.kind === "refused" && stale.policy, view.moves[0]?.entry, again.kind, await tree(rig)]).toEqual([
      "stale-resolution",
      entryFor(`0\n${edited}`),
      "landed",
      { "e/g": `0\n${text}4\n`, new: "n\n", other: "o\n" },
    ]);
  });

  test("nothing else beside the conflict is written, and nothing deleted there", async () => {
    const rig = await movedOnHead();
    const refused = (named: string) => ({
      kind: "refused",
      policy: "resolution",
      reason: `A resolution of c1 gives the final content of exactly the paths in conflict: it changes ${named}, which is not in conflict.`,
    });
    expect([
      await resolve(rig, 3, { "d/g": null, other: "mine\n" }),
      await resolve(rig, 3, { "d/g": null, "e/g": null }),
      await resolve(rig, 3, { "d/g": null, unknown: "x\n" }),
    ]).toEqual([refused("other"), refused("e/g"), refused("unknown")]);
  });
});

describe("S4 a side that is left out", () => {
  const discarded: DiscardedSide = {
    path: asPath("d/g"),
    side: "theirs",
    task: asTaskId("t2"),
    entry: entryFor(`${text}4\n`),
    reason: "the file is gone on purpose",
  };

  test("is named in the history, where nothing else is left to land too, and after a restart", async () => {
    const rig = await movedOnHead();
    const outcome = await resolve(rig, 3, { "d/g": null }, [discarded]);
    const landed = (await commitsOf(rig)).at(-1);
    const fresh = vcsFold.initial();
    for (const record of await recordsOf(rig)) vcsFold.apply(fresh, record);
    expect([outcome.kind, landed?.changes, landed?.discarded, fresh.discarded]).toEqual([
      "landed",
      [],
      [discarded],
      [discarded],
    ]);
    expect(rig.log.hasBlob(entryFor(`${text}4\n`)?.blob ?? ("" as never))).toBe(true);
  });

  test("a commit record from before sides were named reads as one that left none out", async () => {
    const rig = await movedOnHead();
    const fresh = vcsFold.initial();
    for (const record of await recordsOf(rig)) {
      const { discarded: _, ...data } = record.data as Record<string, unknown>;
      vcsFold.apply(fresh, { ...record, data });
    }
    expect(imageOf(fresh)).toEqual(imageOf(rig.ledger.state(vcsFold)));
  });
});
