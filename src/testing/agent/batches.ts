// Generated responses over a small tree: reads, writes, searches, shell commands, children that read or write, calls that fail, are
// refused, malformed or unknown, each lasting its own time. What a call sees is in its result, so that an order that matters shows.

import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import type { Claim } from "../../agent/claim.ts";
import { runAgent } from "../../agent/loop.ts";
import { AGENT_LIMITS } from "../../agent/spec.ts";
import type { Tool, ToolAnswer, ToolContext } from "../../agent/tool.ts";
import { type TreeLocks, treeLocks } from "../../agent/tree-locks.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { ToolCall } from "../../model/message.ts";
import { simHost } from "../sim/host.ts";
import { answeringProvider } from "./family-rig.ts";

type Kind = "read" | "write" | "search" | "shell" | "child-reads" | "child-writes" | "fails" | "unknown" | "malformed";

interface Step {
  readonly kind: Kind;
  readonly file: number;
  readonly ms: number;
  readonly refused: boolean;
}

interface Batch {
  readonly steps: readonly Step[];
  readonly atOnceMax: number;
  readonly abortMs: number | null;
}

const KINDS: readonly Kind[] = [
  ...(["read", "read", "read", "write", "write", "write", "search"] as const),
  ...(["shell", "child-reads", "child-writes", "fails", "unknown", "malformed"] as const),
];
const filesCount = 3;
const stepsMax = 12;

const BATCH: fc.Arbitrary<Batch> = fc.record({
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      file: fc.nat(filesCount - 1),
      ms: fc.nat(20),
      refused: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 2, maxLength: stepsMax },
  ),
  atOnceMax: fc.constantFrom(2, 3, 10),
  abortMs: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null, freq: 3 }),
});

/** Compares each batch with its sequential run, on asserts of fast-check; answers what the batches came across. */
export async function checkBatches({
  batches,
  seed,
}: {
  readonly batches: number;
  readonly seed?: number;
}): Promise<BatchCounts> {
  const seen: BatchCounts = { overlapping: 0, refusedCalls: 0, abortedRunning: 0, abortedWaiting: 0 };
  const property = fc.asyncProperty(BATCH, async (batch) => {
    const { atOnceMax, abortMs } = batch;
    const together = await runBatch(batch, { atOnceMax, abortMs: null }, seen);
    const inSequence = await runBatch(batch, { atOnceMax: 1, abortMs: null });
    deepStrictEqual(together, inSequence);
    deepStrictEqual(together.faults, []);
    if (abortMs === null) return;
    const aborted = await runBatch(batch, { atOnceMax, abortMs }, seen);
    deepStrictEqual([aborted.faults, aborted.resultIds], [[], together.resultIds]);
  });
  await fc.assert(property, { numRuns: batches, ...(seed === undefined ? {} : { seed }) });
  return seen;
}

interface BatchCounts {
  overlapping: number;
  refusedCalls: number;
  abortedRunning: number;
  abortedWaiting: number;
}

interface RanBatch {
  /** The messages as JSON. */
  readonly history: string;
  readonly files: readonly string[];
  readonly resultIds: readonly string[];
  /** What must not be, in words. */
  readonly faults: readonly string[];
}

async function runBatch(
  batch: Batch,
  { atOnceMax, abortMs }: { readonly atOnceMax: number; readonly abortMs: number | null },
  counts: BatchCounts = { overlapping: 0, refusedCalls: 0, abortedRunning: 0, abortedWaiting: 0 },
): Promise<RanBatch> {
  const host = simHost({ seed: 1 });
  const { clock } = host;
  const abort = new AbortController();
  const tree = new WatchedTree(clock, abort.signal, counts);
  const calls = batch.steps.map(callOf);
  const agent = asAgentId("a1");
  if (abortMs !== null) clock.after(abortMs, () => abort.abort());
  const running = runAgent(
    {
      agent,
      parent: null,
      role: "solo",
      task: null,
      taskKeys: [],
      system: "",
      messages: [{ role: "user", text: "go" }],
      messagesRecorded: 0,
      firstTurn: 0,
      tools: tree.tools(),
      limits: { ...AGENT_LIMITS, callsAtOnceMax: atOnceMax },
    },
    {
      provider: answeringProvider(clock, ({ context }) => (context.turn === 1 ? { calls } : { say: "done" }), []),
      clock,
      record: { append: async () => ok(undefined) },
      spill: async () => ok("/spill"),
      signal: abort.signal,
      locks: tree.locks,
      gate: {
        before: async ({ index }) => {
          const step = batch.steps[index];
          await clock.sleep((step?.ms ?? 0) % 3, abort.signal);
          if (step?.refused === true) counts.refusedCalls++;
          return step?.refused === true ? { kind: "refuse", reason: "no" } : { kind: "go" };
        },
        after: async () => {},
      },
    },
  );
  const { messages } = await host.run(running);
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  for (const { text } of results) {
    if (text.startsWith("stopped")) counts.abortedRunning++;
    if (text.startsWith("cancelled: the call was not started")) counts.abortedWaiting++;
  }
  return {
    history: JSON.stringify(messages),
    files: tree.files,
    resultIds: results.map(({ callId }) => callId),
    faults: tree.faults,
  };
}

function callOf({ kind, file, ms }: Step, index: number): ToolCall {
  const id = asCallId(`c${index}`);
  if (kind === "malformed") return { id, name: "read", arguments: { kind: "malformed", text: "{" } };
  return {
    id,
    name: kind,
    arguments: {
      kind: "parsed",
      value: { file: kind === "child-writes" ? filesCount + index : file, ms, name: `c${index}` },
    },
  };
}

interface Input {
  readonly file: number;
  readonly ms: number;
  readonly name: string;
}

/** Files in memory whose users are watched. */
class WatchedTree {
  readonly locks: TreeLocks = treeLocks();
  readonly files: string[] = Array(filesCount + stepsMax).fill("");
  readonly faults: string[] = [];
  private readonly clock: Clock;
  private readonly signal: AbortSignal;
  private readonly counts: BatchCounts;
  private readonly using: { readonly what: readonly number[]; readonly writes: boolean }[] = [];

  constructor(clock: Clock, signal: AbortSignal, counts: BatchCounts) {
    this.clock = clock;
    this.signal = signal;
    this.counts = counts;
  }

  tools(): readonly Tool[] {
    const all = this.files.map((_file, index) => index);
    const one = (input: Input, kind: "read" | "write"): Claim => ({ kind, what: [`/f${input.file}`] });
    const look = (input: Input) => this.use(input, [input.file], () => this.files[input.file] ?? "", false);
    const append = (input: Input) => this.use(input, [input.file], () => this.append(input.file, input.name), true);
    const seeAll = (input: Input) => this.use(input, all, () => this.files.join("|"), false);
    return [
      this.tool("read", (input) => one(input, "read"), look),
      this.tool("write", (input) => one(input, "write"), append),
      this.tool("search", () => ({ kind: "read", what: "tree" }), seeAll),
      this.tool(
        "fails",
        (input) => one(input, "read"),
        async (input) => {
          await look(input);
          return { kind: "error", text: `failed at ${this.files[input.file]}` };
        },
      ),
      this.tool(
        "shell",
        () => ({ kind: "exclusive" }),
        (input) => this.use(input, all, () => all.map((file) => this.append(file, input.name)).join("|"), true),
      ),
      this.tool(
        "child-reads",
        () => ({ kind: "delegate", writes: false }),
        (input) => this.child(input, "read", look),
      ),
      this.tool(
        "child-writes",
        () => ({ kind: "delegate", writes: true }),
        (input) => this.child(input, "write", append),
      ),
    ];
  }

  /** A child takes the tree's locks for its own calls; one that writes has files that no sibling has. */
  private async child(
    input: Input,
    kind: "read" | "write",
    act: (input: Input) => Promise<ToolAnswer>,
  ): Promise<ToolAnswer> {
    const claim: Claim = { kind, what: [`/f${input.file}`] };
    const lock = await this.locks.acquire(claim, this.signal);
    if (lock === null) return { kind: "cancelled", text: "stopped before its first call" };
    const answer = await act(input);
    lock.release();
    return answer;
  }

  private tool(name: Kind, claim: (input: Input) => Claim, run: (input: Input) => Promise<ToolAnswer>): Tool {
    const { kind } = claim({ file: 0, ms: 0, name: "" });
    return {
      spec: { name, description: "", inputSchema: {} },
      effect: kind,
      claim: async (input) => claim(input as Input),
      run: async (input: unknown, context: ToolContext) => {
        if (context.signal.aborted) this.faults.push(`${name} was started after the abort`);
        return run(input as Input);
      },
    };
  }

  /** What stood there at the beginning is in the answer, and what stands there at the end. */
  private async use(
    { ms, name }: Input,
    what: readonly number[],
    act: () => string,
    writes: boolean,
  ): Promise<ToolAnswer> {
    if (this.signal.aborted) return { kind: "cancelled", text: "stopped before it began" };
    const mine = { what, writes };
    for (const other of this.using) {
      this.counts.overlapping++;
      const meets = other.what.some((file) => what.includes(file));
      if (meets && (writes || other.writes)) this.faults.push(`${name} uses what another writes`);
    }
    this.using.push(mine);
    const before = what.map((file) => this.files[file]).join("|");
    await this.clock.sleep(ms, this.signal);
    this.using.splice(this.using.indexOf(mine), 1);
    if (this.signal.aborted) return { kind: "cancelled", text: "stopped" };
    return { kind: "text", text: `${name} saw ${before}, then ${act()}` };
  }

  private append(file: number, name: string): string {
    this.files[file] = `${this.files[file]}+${name}`;
    return this.files[file];
  }
}
