// The budget's arithmetic, by hand, and over random fan-outs: whatever is asked, settled, lost or told late, it is never passed.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { asAgentId, asFence, asHostId, asPosition, asTaskId } from "../base/ids.ts";
import { askBudget, committedUsd, type RequestBounds } from "./budget.ts";
import { type RecordData, type RecordType, swarmRecord } from "./records.ts";
import { type SwarmState, swarmFold } from "./state.ts";

/** A state made of records alone. */
class Spending {
  readonly state: SwarmState = swarmFold.initial();
  #position = 0;

  put<T extends RecordType>(type: T, data: RecordData<T>): this {
    swarmFold.apply(this.state, { ...swarmRecord(0, type, data), position: asPosition(this.#position++) });
    return this;
  }

  /** An agent with a task of its own. */
  lease(agent: string, fence = 1): this {
    const task = asTaskId(`t-${agent}`);
    if (!this.state.tasks.has(task))
      this.put("task_added", {
        task,
        parent: null,
        kind: "work",
        key: agent,
        title: agent,
        instructions: "",
        scope: [],
        check: null,
        after: [],
        base: null,
        decisions: [],
        conflict: null,
      });
    return this.put("task_leased", {
      task,
      agent: asAgentId(agent),
      fence: asFence(fence),
      host: asHostId("h"),
      role: "worker",
      model: "m",
      snapshot: asPosition(0),
      reported: [],
    });
  }

  begin(agent: string, turn: number, usd: number, fence = 1): this {
    return this.put("request_begun", { ...requestOf(agent, turn, fence), reserved_usd: usd, failed: null });
  }

  settle(agent: string, turn: number, cost: number | "unavailable", fence = 1): this {
    return this.put("model_request", {
      ...requestOf(agent, turn, fence),
      attempts: 1,
      role: "worker",
      model: "m",
      input_tokens: 1,
      cached_tokens: 0,
      output_tokens: 1,
      cost_usd: cost,
      held_charged: true,
      duration_ms: 1,
      failed: null,
    });
  }

  lose(agent: string, fence = 1): this {
    const { turn: _, ...lease } = requestOf(agent, 0, fence);
    return this.put("lease_ended", {
      ...lease,
      reason: "gone",
      workspace: null,
      lost: true,
      blame: "task",
      fresh: false,
    });
  }
}

function requestOf(agent: string, turn: number, fence: number) {
  return { agent: asAgentId(agent), task: asTaskId(`t-${agent}`), fence: asFence(fence), turn };
}

/** $1 of input and $0.001 for each of up to 1,000 tokens of output: $2 at the most. */
const bounds: RequestBounds = {
  agent: asAgentId("a1"),
  inputUsd: 1,
  outputUsdPerToken: 0.001,
  outputTokensMax: 1_000,
  outputTokensMin: 500,
};

describe("S17 a request", () => {
  const ask = (state: SwarmState, budgetUsd: number, more: Partial<RequestBounds> = {}) =>
    askBudget(state, budgetUsd, { ...bounds, ...more });
  const fresh = () => new Spending().lease("a1").lease("a2");

  it("goes where its worst case fits, and reserves it", () => {
    expect(ask(fresh().state, 2)).toEqual({ kind: "go", outputTokensMax: 1_000, reservedUsd: 2 });
  });

  it("waits while another one may give back what was held for it", () => {
    const spending = fresh().begin("a2", 1, 1.5);
    expect(ask(spending.state, 3)).toEqual({ kind: "wait" });
    expect(ask(spending.settle("a2", 1, 0.5).state, 3)).toEqual({ kind: "go", outputTokensMax: 1_000, reservedUsd: 2 });
  });

  it("does not wait for what is held back for itself", () => {
    expect(ask(fresh().begin("a1", 1, 1.5).state, 2).kind).toBe("spent");
  });

  it("is lowered to what is left, where nothing will come back", () => {
    expect(ask(fresh().state, 1.6)).toEqual({ kind: "go", outputTokensMax: 600, reservedUsd: 1.6 });
    expect(ask(fresh().begin("a2", 1, 1).state, 2.6)).toEqual({ kind: "wait" });
  });

  it("is not made where too little is left, and says how much", () => {
    const spending = fresh().begin("a2", 1, 1).settle("a2", 1, 0.6);
    expect(ask(spending.state, 2)).toEqual({
      kind: "spent",
      reason: "the budget of $2 has $1.4000 left, too little for another request, which can cost $2.0000",
    });
    expect(ask(fresh().state, 1.6, { outputTokensMin: 1_000 }).kind).toBe("spent");
  });

  it("of a free model goes also when all is spent", () => {
    const spending = fresh().begin("a2", 1, 1).settle("a2", 1, 1);
    const free = { inputUsd: 0, outputUsdPerToken: 0 };
    expect(ask(spending.state, 1, free)).toEqual({ kind: "go", outputTokensMax: 1_000, reservedUsd: 0 });
  });
});

describe("S17 what a request has cost", () => {
  const spent = (spending: Spending) => [spending.state.spentUsd, committedUsd(spending.state)];

  it("takes the place of what was held back", () => {
    const spending = new Spending().lease("a1").begin("a1", 1, 2);
    expect(spent(spending)).toEqual([0, 2]);
    expect(spent(spending.settle("a1", 1, 0.25))).toEqual([0.25, 0.25]);
  });

  it("counts with what was held back where nobody knows it", () => {
    expect(spent(new Spending().lease("a1").begin("a1", 1, 2).settle("a1", 1, "unavailable"))).toEqual([2, 2]);
  });

  it("counts with what was held back when its host dies, and with the truth once that is told", () => {
    const spending = new Spending().lease("a1").begin("a1", 1, 2).lose("a1");
    expect(spent(spending)).toEqual([2, 2]);
    expect(spent(spending.lease("a1", 2).settle("a1", 1, 0.5))).toEqual([0.5, 0.5]);
  });

  it("counts twice where it was asked twice, since nobody knows what became of the first", () => {
    const spending = new Spending().lease("a1").begin("a1", 1, 2).lose("a1").lease("a1", 2).begin("a1", 1, 2, 2);
    expect(spent(spending)).toEqual([2, 4]);
    expect(spent(spending.settle("a1", 1, 0.5, 2))).toEqual([2.5, 2.5]);
  });

  it("is charged for an attempt that broke before another is made; a sum that is known takes the place of both", () => {
    const again = () => new Spending().lease("a1").begin("a1", 1, 2).begin("a1", 1, 2);
    expect(spent(again())).toEqual([2, 4]);
    expect(spent(again().settle("a1", 1, "unavailable"))).toEqual([4, 4]);
    expect(spent(again().settle("a1", 1, 1.25))).toEqual([1.25, 1.25]);
  });

  it("is charged when a run goes on that was cut off", () => {
    const models = { planner: "p", worker: "w", arbiter: "a" };
    const spending = new Spending().lease("a1").begin("a1", 1, 2);
    spending.put("run_resumed", { models, scripted: false, workers: 1, repository: "/r" });
    expect(spent(spending)).toEqual([2, 2]);
  });
});

test("S17 a fan-out on the last cents never passes the budget, and never waits for nobody", () => {
  const step = fc.record({
    agent: fc.integer({ min: 0, max: 30 }),
    act: fc.constantFrom("begin", "begin", "retry", "settle", "unknown", "lose"),
    inputUsd: fc.double({ min: 0, max: 0.4, noNaN: true }),
    outputUsdPerToken: fc.double({ min: 0, max: 0.001, noNaN: true }),
    outputTokensMax: fc.integer({ min: 1, max: 2_000 }),
    /** Of the worst case, what it really costs. */
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const dustUsd = 1e-9;
  fc.assert(
    fc.property(fc.double({ min: 0, max: 3, noNaN: true }), fc.array(step, { maxLength: 200 }), (budgetUsd, steps) => {
      const spending = new Spending();
      const { state } = spending;
      const fences = new Map<number, number>();
      let paidUsd = 0;
      let turn = 0;
      for (const { agent, act, share, ...asked } of steps) {
        const name = `a${agent}`;
        const id = asAgentId(name);
        if (!fences.has(agent)) {
          fences.set(agent, 1);
          spending.lease(name);
        }
        const fence = fences.get(agent) ?? 1;
        const held = state.reserved.get(id);
        if (act === "begin" || act === "retry") {
          if ((held === undefined) !== (act === "begin")) continue;
          const outputTokensMin = act === "retry" ? asked.outputTokensMax : Math.min(512, asked.outputTokensMax);
          const answer = askBudget(state, budgetUsd, { ...asked, agent: id, outputTokensMin });
          const others = [...state.reserved].filter(([other, { usd }]) => other !== id && usd > 0);
          if (answer.kind === "wait") expect(others.length).toBeGreaterThan(0);
          if (answer.kind !== "go") continue;
          // What a broken attempt has cost is never known.
          if (held !== undefined) paidUsd += held.usd * share;
          spending.begin(name, held?.turn ?? ++turn, answer.reservedUsd, fence);
        } else if (held !== undefined) {
          paidUsd += held.usd * share;
          if (act === "settle" && held.chargedUsd === 0) spending.settle(name, held.turn, held.usd * share, fence);
          else if (act === "lose") {
            spending.lose(name, fence).lease(name, fence + 1);
            fences.set(agent, fence + 1);
          } else spending.settle(name, held.turn, "unavailable", fence);
        }
        expect(committedUsd(state)).toBeLessThanOrEqual(budgetUsd + dustUsd);
        expect(paidUsd).toBeLessThanOrEqual(state.spentUsd + dustUsd);
      }
    }),
    { numRuns: 300 },
  );
});
