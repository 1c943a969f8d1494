// Keys, durability and races: when a commit is accepted, when it is answered, and what a repeated one gets.

import { describe, expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { memoryStore } from "../testing/log/memory-log.ts";
import { commit, commitsOf, importFiles, openRig, recordsOf, request, rigWith, tree } from "../testing/vcs/vcs-rig.ts";
import { mergeText } from "./merge/merge.ts";
import type { MergeFunction } from "./merges.ts";
import type { Policy } from "./policies/policy.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/** A merge that waits for the test; `began` resolves when the next one is asked for. */
function gatedMerge() {
  let began = Promise.withResolvers<void>();
  let gate = Promise.withResolvers<void>();
  const merge: MergeFunction = async (...sides) => {
    const { promise } = gate;
    began.resolve();
    await promise;
    return mergeText(...sides);
  };
  return {
    merge,
    began: () => began.promise,
    open() {
      gate.resolve();
      [began, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    },
  };
}

describe("keys", () => {
  test("S7 a retry after a crash gets the first answer, and nothing is committed twice", async () => {
    const store = memoryStore();
    const log = unwrap(store.open(), "log");
    const before = await openRig({ log });
    await importFiles(before.vcs, { f: lines });
    await commit(before, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const requests = [
      request({ by: 2, base: 1, files: { f: lines.replace("9", "nine") } }),
      request({ by: 3, base: 1, files: { f: lines.replace("1", "eins") } }),
      request({ by: 3, base: 1, files: { f: lines.replace("1", "ein") } }),
      request({ by: 4, base: 1, files: { f: lines.replace("1", "one") } }),
    ];
    const first = [];
    for (const one of requests) first.push(await before.vcs.commit(one));
    await log.close();
    const after = await openRig({ log: unwrap(store.open(), "log") });
    const records = await recordsOf(after);
    const second = [];
    for (const one of requests) second.push(await after.vcs.commit({ ...one, blobs: [] }));
    expect([second, await recordsOf(after)]).toEqual([first, records]);
    expect(first.map((answer) => answer.ok && answer.value)).toEqual([
      { kind: "landed", position: 3, merged: ["f"] },
      { kind: "conflict", position: 4, conflict: "c1", joined: false },
      { kind: "conflict", position: 5, conflict: "c1", joined: true },
      { kind: "unchanged", position: 6 },
    ]);
  });

  test("S7 the same request in flight shares its answer", async () => {
    const rig = await rigWith({ f: "f\n" });
    const one = request({ by: 1, base: 1, files: { f: "F\n" } });
    const answers = await Promise.all([rig.vcs.commit(one), rig.vcs.commit(one), rig.vcs.commit(one)]);
    expect([answers, (await commitsOf(rig)).length]).toEqual([
      Array(3).fill({ ok: true, value: { kind: "landed", position: 2, merged: [] } }),
      1,
    ]);
  });

  test("a key that was used for other changes is refused, in flight and later", async () => {
    const rig = await rigWith({ f: "f\n" });
    const first = rig.vcs.commit(request({ by: 1, base: 1, files: { f: "F\n" }, key: "k" }));
    const other = () => commit(rig, { by: 1, base: 1, files: { f: "lost?\n" }, key: "k" });
    const refused = {
      kind: "refused",
      policy: "key",
      reason: "The key k was used for a commit with other changes. Commit these under a new key.",
    };
    expect([await other(), (await first).ok, await other()]).toEqual([refused, true, refused]);
  });

  test("a refused request may be repeated under its key", async () => {
    const rig = await rigWith({ f: "f\n" });
    const one = request({ by: 1, base: 9, files: { f: "F\n" } });
    const refused = unwrap(await rig.vcs.commit(one), "first");
    const landed = unwrap(await rig.vcs.commit({ ...one, base: rig.vcs.head() }), "second");
    expect([refused.kind, landed.kind]).toEqual(["refused", "landed"]);
  });
});

describe("durability", () => {
  test("a commit is accepted at once and answered when it is durable", async () => {
    const rig = await rigWith({ f: "f\n" });
    rig.log.hold();
    let isAnswered = false;
    const answer = rig.vcs.commit(request({ by: 1, base: 1, files: { f: "F\n" } })).finally(() => {
      isAnswered = true;
    });
    const accepted = Number(rig.ledger.end);
    await new Promise((resolve) => setImmediate(resolve));
    const meanwhile = [accepted, Number(rig.vcs.head()), (await commitsOf(rig)).length, isAnswered];
    rig.log.release();
    await answer;
    expect([meanwhile, Number(rig.vcs.head()), (await commitsOf(rig)).length]).toEqual([[2, 1, 0, false], 2, 1]);
  });

  test("a repeated key waits until the first answer is durable", async () => {
    const rig = await rigWith({ f: "f\n" });
    const one = request({ by: 1, base: 1, files: { f: "F\n" } });
    await rig.vcs.commit(one);
    rig.log.hold();
    const two = request({ by: 2, base: 2, files: { f: "FF\n" } });
    void rig.vcs.commit(two);
    const old = await rig.vcs.commit(one);
    const heads = [Number(rig.vcs.head()), Number(rig.ledger.end)];
    rig.log.release();
    expect([old, heads, await rig.vcs.commit(two)]).toEqual([
      { ok: true, value: { kind: "landed", position: 2, merged: [] } },
      [2, 3],
      { ok: true, value: { kind: "landed", position: 3, merged: [] } },
    ]);
  });

  test("S21 a full disk is the answer, nothing acknowledged is lost, and what came before stays readable", async () => {
    const rig = await rigWith({ f: "f\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "F\n" } });
    const full = { kind: "no-space", message: "disk full" } as const;
    rig.log.failNext(full);
    const failed = request({ by: 2, base: 2, files: { f: "lost\n" } });
    const answers = [await rig.vcs.commit(failed), await rig.vcs.commit(failed)];
    expect([answers[0], answers[1]?.ok, Number(rig.vcs.head()), await tree(rig, 2)]).toEqual([
      { ok: false, error: full },
      false,
      2,
      { f: "F\n" },
    ]);
  });
});

describe("races", () => {
  test("a merge is computed again when the head has moved meanwhile", async () => {
    const gated = gatedMerge();
    const rig = await rigWith({ f: lines }, { merge: gated.merge });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const slow = commit(rig, { by: 2, base: 1, files: { f: lines.replace("9", "nine") } });
    await gated.began();
    await commit(rig, { by: 3, base: 2, files: { f: lines.replace("1", "one").replace("5", "five") } });
    gated.open();
    await gated.began();
    gated.open();
    expect([await slow, await tree(rig)]).toEqual([
      { kind: "landed", position: 4, merged: ["f"] },
      { f: "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n" },
    ]);
  });

  test("a merge is not computed again when only other paths have moved", async () => {
    const gated = gatedMerge();
    const rig = await rigWith({ f: lines, g: "g\n" }, { merge: gated.merge });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const slow = commit(rig, { by: 2, base: 1, files: { f: lines.replace("9", "nine") } });
    await gated.began();
    await commit(rig, { by: 3, base: 2, files: { g: "G\n" } });
    gated.open();
    expect(await slow).toEqual({ kind: "landed", position: 4, merged: ["f"] });
  });

  test("after three lost rounds a commit has its paths to itself", async () => {
    const gated = gatedMerge();
    const rig = await rigWith({ f: lines, g: "g\n" }, { merge: gated.merge });
    let text = lines.replace("1", "one");
    await commit(rig, { by: 1, base: 1, files: { f: text } });
    const slow = commit(rig, { by: 2, base: 1, files: { f: lines.replace("9", "nine") } });
    for (const word of ["a", "b", "c"]) {
      await gated.began();
      text = text.replace("one", `one${word}`);
      await commit(rig, { by: 3, base: rig.vcs.head(), files: { f: text } });
      gated.open();
    }
    await gated.began();
    const late = commit(rig, { by: 4, base: rig.vcs.head(), files: { f: text.replace("one", "eins") } });
    const beside = await commit(rig, { by: 5, base: 1, files: { g: "G\n" } });
    gated.open();
    const slowOutcome = await slow;
    await gated.began();
    gated.open();
    expect([slowOutcome, beside.kind, await late, await tree(rig)]).toEqual([
      { kind: "landed", position: 7, merged: ["f"] },
      "landed",
      { kind: "landed", position: 8, merged: ["f"] },
      { f: "einscba\n2\n3\n4\n5\n6\n7\n8\nnine\n", g: "G\n" },
    ]);
  });

  test("a policy is asked again at acceptance: a lease that ended during a merge refuses", async () => {
    const gated = gatedMerge();
    let leased = true;
    const asked: string[] = [];
    const lease: Policy = {
      name: "lease",
      when: "acceptance",
      check({ request }) {
        asked.push(request.author.agent);
        return leased ? null : "the lease has ended";
      },
    };
    const rig = await rigWith({ f: lines }, { merge: gated.merge, policies: [lease] });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const slow = commit(rig, { by: 2, base: 1, files: { f: lines.replace("9", "nine") } });
    await gated.began();
    leased = false;
    gated.open();
    expect([await slow, asked, (await commitsOf(rig)).length]).toEqual([
      { kind: "refused", policy: "lease", reason: "the lease has ended" },
      ["a1", "a2", "a2"],
      1,
    ]);
  });

  test("a commit whose content cannot be read for merging is kept as a conflict object", async () => {
    const rig = await rigWith({ f: lines });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const { blob } = rig.log;
    rig.log.blob = (id) => Promise.resolve({ ok: false, error: { kind: "damaged", id, message: "bad disk" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { f: lines.replace("9", "nine") } });
    const view = unwrap(await rig.vcs.conflictView(rig.vcs.conflicts()[0]?.id ?? ("" as never)), "view");
    rig.log.blob = blob;
    expect([outcome.kind, view.paths.map((path) => path.kind === "whole" && path.because)]).toEqual([
      "conflict",
      ["unreadable"],
    ]);
  });
});
