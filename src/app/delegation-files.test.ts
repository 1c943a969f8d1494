// The files of a run's delegations on a simulated disk: what is read back after a crash, and that nothing runs on from a torn line.

import { expect, test } from "vitest";
import type { DelegationRecord } from "../agent/delegation-record.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { simHost } from "../testing/sim/host.ts";
import { openDelegationFiles, startedChildren } from "./delegation-files.ts";

const record = (seq: number, outcome: DelegationRecord["outcome"]): DelegationRecord => ({
  seq,
  callId: asCallId(`c${seq}`),
  child: outcome === "refused" ? null : asAgentId(`a${seq}`),
  parent: asAgentId("a0"),
  concurrent: 1,
  queuedAtMs: 1,
  startedAtMs: 2,
  endedAtMs: 3,
  outcome,
});

test("numbers go on after refused ones, an ending is recorded once, and one that goes on after a cancel has one line too", async () => {
  const { files } = simHost({ seed: 1 });
  unwrap(await files.makeDirectory("/run"), "run");
  const open = async () => unwrap(await openDelegationFiles(files, "/run", () => {}), "open");
  const first = await open();
  for (const one of [record(1, "done"), record(2, "cancelled"), record(3, "refused")]) await first.ended(one);
  await first.note([{ kind: "told", child: asAgentId("a1") }]);
  await first.close();
  const torn = unwrap(await files.open("/run/delegations.jsonl", "append"), "torn");
  unwrap(await torn.append([Buffer.from('{"seq":4,"call')]), "torn");
  const again = await open();
  await again.ended(record(1, "done"));
  await again.ended(record(2, "done"));
  await again.ended(record(2, "done"));
  await again.ended(record(5, "done"));
  await again.close();
  const text = Buffer.from(unwrap(await files.read("/run/delegations.jsonl", 100_000), "read")).toString();
  const lines = text.split("\n");
  const seen = lines
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line))
    .map(({ seq, outcome }) => [seq, outcome]);
  expect({
    lastSeq: [first.lastSeq, again.lastSeq],
    before: again.before,
    seen,
    other: lines.filter((line) => !line.endsWith("}")),
  }).toEqual({
    lastSeq: [0, 3],
    before: [{ kind: "told", child: "a1" }],
    seen: [
      [1, "done"],
      [3, "refused"],
      [2, "done"],
      [5, "done"],
    ],
    other: ['{"seq":4,"call', ""],
  });
});

test("a disk that refuses is said once, and the work goes on", async () => {
  const { files, disk } = simHost({ seed: 1 });
  unwrap(await files.makeDirectory("/run"), "run");
  const notes: string[] = [];
  const log = unwrap(await openDelegationFiles(files, "/run", (note) => notes.push(note)), "open");
  disk.failNext({ op: "append", code: "no-space" });
  await log.ended(record(1, "done"));
  disk.failNext({ op: "append", code: "no-space" });
  await log.ended(record(2, "done"));
  await log.close();
  expect(notes.length).toBe(1);
});

test("children that began are told, whatever became of them; refused ones and those that never left the queue are not", async () => {
  const { files } = simHost({ seed: 1 });
  unwrap(await files.makeDirectory("/run"), "run");
  const open = unwrap(await openDelegationFiles(files, "/run", () => {}), "open");
  const all = [
    record(1, "failed"),
    record(2, "refused"),
    { ...record(3, "cancelled"), startedAtMs: "unavailable" } as const,
    record(4, "done"),
  ];
  for (const one of all) await open.ended(one);
  await open.close();
  expect(unwrap(await startedChildren(files, "/run"), "started")).toEqual(["a1", "a4"]);
});
