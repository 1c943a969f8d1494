// What children of one answer see of each other: generated answers whose children read and write one tree, compared with the same answer
// run one after another; and what is decided before any of them runs.

import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { expect, test } from "vitest";
import { delegate, done, familyRig, parentOf, resultsOf, top } from "../testing/agent/family-rig.ts";
import { call, tool } from "../testing/agent/rig.ts";
import type { Tool } from "./tool.ts";

/** A tree in memory: `look` says what stands in a file, or in all; `put` writes half of it, and the whole after a while. */
function treeTools(clock: { sleep(ms: number): Promise<void> }): readonly Tool[] {
  const files = new Map<string, string>();
  const all = () => JSON.stringify([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const named = (input: unknown): string => (input as { readonly file: string }).file;
  return [
    {
      ...tool("look", "read", async (input) => {
        const file = named(input);
        await clock.sleep(3);
        return { kind: "text", text: file === "*" ? all() : `${file}: ${files.get(file) ?? "none"}` };
      }),
      claim: async (input) => ({ kind: "read", what: named(input) === "*" ? "tree" : [`/${named(input)}`] }),
    },
    {
      ...tool("put", "write", async (input) => {
        const { file, text } = input as { readonly file: string; readonly text: string };
        files.set(file, "half");
        await clock.sleep(5);
        files.set(file, `${files.get(file)} ${text}`);
        return { kind: "text", text: `put ${file}` };
      }),
      claim: async (input) => ({ kind: "write", what: [`/${named(input)}`] }),
    },
  ];
}

interface Part {
  readonly writes: boolean;
  /** Of each answer: the file that is read, or null for a change where the child may change something. */
  readonly steps: readonly (number | "*" | null)[];
  readonly thinkMs: number;
}

const PARTS: fc.Arbitrary<readonly Part[]> = fc.array(
  fc.record({
    writes: fc.boolean(),
    steps: fc.array(fc.oneof(fc.nat(4), fc.constantFrom("*" as const, null, null)), { minLength: 1, maxLength: 4 }),
    thinkMs: fc.nat(40),
  }),
  { minLength: 2, maxLength: 5 },
);

/**
 * The child's own history, as what it says at the end. A writer reads what was asked for before it and its own: what a later one is to
 * change is not shown to it (`hiddenFrom`), which its tools see to.
 */
async function told(
  parts: readonly Part[],
  { callsAtOnceMax, childrenAtOnceMax }: { readonly callsAtOnceMax: number; readonly childrenAtOnceMax: number },
) {
  const calls = parts.map(({ writes }, n) => delegate(`c${n}`, `${n}`, writes ? { write_scope: [`f${n}`] } : {}));
  const rig = familyRig({
    answering: parentOf(calls, (task, { context, messages }) => {
      const n = Number(task);
      const part = parts[n];
      const step = part?.steps[context.turn - 1];
      const afterMs = part?.thinkMs ?? 0;
      if (part === undefined || step === undefined) {
        const seen = messages.flatMap((one) => (one.role === "tool" ? one.results.map(({ text }) => text) : []));
        return { afterMs, say: JSON.stringify(seen) };
      }
      if (step === null && part.writes)
        return { afterMs, calls: [call("p", "put", { file: `f${n}`, text: `t${context.turn}` })] };
      const shown = step !== null && (step === "*" || step > n);
      const file = step === null || (part.writes && shown) ? "f0" : step === "*" ? "*" : `f${step}`;
      return { afterMs, calls: [call("l", "look", { file })] };
    }),
    tools: ({ clock }) => treeTools(clock),
    limits: { childrenAtOnceMax },
    agentLimits: { callsAtOnceMax },
  });
  return resultsOf(await rig.toEnd());
}

test("H6 children that read and write one tree see what they would see one after another, with few places too", async () => {
  const property = fc.asyncProperty(PARTS, fc.constantFrom(1, 2, 10), async (parts, childrenAtOnceMax) => {
    const together = await told(parts, { callsAtOnceMax: 10, childrenAtOnceMax });
    deepStrictEqual(together, await told(parts, { callsAtOnceMax: 1, childrenAtOnceMax: 1 }));
  });
  await fc.assert(property, { numRuns: 25, seed: 5 });
});

test("H6 writers of separate files and readers work side by side; only what could see half of something waits", async () => {
  const calls = [
    delegate("c0", "reader"),
    delegate("c1", "a", { write_scope: ["a"] }),
    delegate("c2", "b", { write_scope: ["b"] }),
    delegate("c3", "late reader"),
  ];
  const rig = familyRig({
    answering: parentOf(calls, (task, { context }) => {
      if (context.turn === 3) return { say: "ok" };
      const file = task === "late reader" && context.turn === 2 ? "b" : "z";
      if (task.endsWith("reader")) return { afterMs: 100, calls: [call("l", "look", { file })] };
      return { afterMs: 1_000, calls: [call("p", "put", { file: task, text: `${context.turn}` })] };
    }),
    tools: ({ clock }) => treeTools(clock),
  });
  await rig.toEnd();
  const from = Number(rig.records.find(({ child }) => child === "a1")?.startedAtMs);
  const times = new Map(
    rig.records.map(({ child, startedAtMs, endedAtMs }) => [child, [Number(startedAtMs) - from, endedAtMs - from]]),
  );
  // The first reader is over before anything is changed; the last waits for b at its second look, 3 ms long.
  expect(Object.fromEntries(times)).toEqual({ a1: [0, 206], a2: [0, 2_010], a3: [0, 2_010], a4: [0, 2_013] });
});

test("H6 ids, numbers and refusals are the same however calls are scheduled, held up at a gate or refused there", async () => {
  const run = async (callsAtOnceMax: number) => {
    const calls = [
      call("slow", "look", { file: "*" }),
      delegate("c1", "held up", { write_scope: ["src"] }),
      delegate("c2", "no", {}),
      delegate("c3", "overlaps", { write_scope: ["src/x"] }),
      delegate("c4", "reads"),
      delegate("c5", "one too many"),
    ];
    const rig = familyRig({
      answering: parentOf(calls, (task) => ({ say: task })),
      tools: ({ clock }) => treeTools(clock),
      limits: { childrenMax: 3 },
      agentLimits: { callsAtOnceMax },
      ports: {
        gate: {
          before: async ({ agent, call: { id } }) => {
            if (agent === top && id === "c1") await rig.clock.sleep(50);
            return id === "c2" ? { kind: "refuse", reason: "the person said no" } : { kind: "go" };
          },
          after: async () => {},
        },
      },
    });
    const results = resultsOf(await rig.toEnd());
    return { results, records: rig.records.map(({ seq, child, outcome }) => [seq, child, outcome]).toSorted() };
  };
  const together = await run(10);
  expect(together).toEqual({
    results: [
      ["[]", false],
      done("a1", "held up"),
      ["not run: the person said no", true],
      [
        "not delegated: write_scope: src/x is also in the scope of a1, which is not over; delegate this after it, divide the files, or use isolation workspace",
        true,
      ],
      done("a3", "reads"),
      ["not delegated: this run has had its 3 children: do the rest yourself", true],
    ],
    records: [
      [1, "a1", "done"],
      [3, null, "refused"],
      [4, "a3", "done"],
      [5, null, "refused"],
    ],
  });
  expect(await run(1)).toEqual(together);
});

test("H19 a child that waits for another gives its place up, also where that one's own children need places", async () => {
  const rig = familyRig({
    answering: ({ context }) => {
      const { agent, parent, turn } = context;
      if (turn === 2) return { say: `${agent} is done` };
      if (agent === top) return { calls: [delegate("c0", "reads"), delegate("c1", "writes", { write_scope: ["a"] })] };
      if (parent === "a2") return { afterMs: 10, calls: [call("p", "put", { file: "a", text: "x" })] };
      if (parent === "a1") return { afterMs: 10, calls: [call("l", "look", { file: "a" })] };
      const write = (id: string, file: string) => delegate(id, "z", { write_scope: [file] });
      return agent === "a1"
        ? { afterMs: 500, calls: [delegate("d0", "x"), delegate("d1", "y")] }
        : { afterMs: 1, calls: [write("d0", "a/1"), write("d1", "a/2")] };
    },
    tools: ({ clock }) => treeTools(clock),
    limits: { childrenAtOnceMax: 2, depthMax: 2, childMsMax: 60_000 },
  });
  const result = await rig.toEnd();
  expect(resultsOf(result)).toEqual([done("a1", "a1 is done"), done("a2", "a2 is done")]);
  expect(rig.records.map(({ outcome }) => outcome)).toEqual(Array(6).fill("done"));
});
