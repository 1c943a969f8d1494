// Requests at the level of one question: what the budget and the limits answer, whom they keep waiting, and what is in the bill.

import { describe, expect, it } from "vitest";
import type { HostAsk, Lease } from "../../protocol/messages.ts";
import { openSwarmRig, type SwarmRig } from "../../testing/swarm/rig.ts";
import { assumedOf } from "../bill.ts";
import type { CoordinatorOptions, RunControl, WaitingRequests } from "./context.ts";

class TestControl implements RunControl {
  stopping: string | null = null;
  holding: string | null = null;
  readonly reached: string[] = [];
  #change = Promise.withResolvers<void>();

  stopInOrder(reason: string, waiting: WaitingRequests): void {
    this.reached.push(reason);
    this.stopping ??= reason;
    if (waiting === "given-up") this.holding ??= reason;
    this.wake();
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  async stop(): Promise<void> {}
}

/** The goal and three workers' tasks. */
async function rig(options: Partial<CoordinatorOptions> = {}) {
  const control = new TestControl();
  const swarm = await openSwarmRig({ "a.txt": "a\n" }, { control, options });
  await swarm.add("t0", "plan");
  for (const id of ["t1", "t2", "t3"]) await swarm.add(id, "work", { parent: "t0" });
  return { swarm, control };
}

/** $1 of input, $1 for 1,000 tokens of output. */
const priced = { inputUsd: 1, outputUsdPerToken: 0.001 };

type Begin = Extract<HostAsk, { kind: "request_begin" }>;

function begin(swarm: SwarmRig, lease: Lease, turn: number, more: Partial<Begin> = {}) {
  return swarm.ask({
    kind: "request_begin",
    lease,
    turn,
    outputTokensMax: 1_000,
    priced,
    after: null,
    failed: null,
    ...more,
  });
}

type Done = Extract<HostAsk, { kind: "request_done" }>;

function done(swarm: SwarmRig, lease: Lease, turn: number, more: Partial<Done> = {}) {
  const usage = { inputTokens: 10, cachedTokens: 0, outputTokens: 5 };
  const told = {
    again: false,
    attempts: 1,
    model: "m",
    usage,
    costUsd: 0.5,
    heldCharged: true,
    durationMs: 1,
    failed: null,
  };
  return swarm.ask({ kind: "request_done", lease, turn, ...told, ...more });
}

/** The answer if it is there already. */
async function now<T>(answer: Promise<T>): Promise<T | "waits"> {
  const waited = new Promise<"waits">((resolve) => setImmediate(() => resolve("waits")));
  return Promise.race([answer, waited]);
}

const spentOf = ({ state }: SwarmRig) => state.spentUsd;
const billed = async (swarm: SwarmRig) =>
  (await swarm.records()).filter(({ type }) => type === "model_request").map(({ data }) => data);

describe("S17 a budget", () => {
  it("lets a request through with its worst case in the log, and lowers the last one", async () => {
    const { swarm, control } = await rig({ budgetUsd: 3.2 });
    const lease = await swarm.lease("t1");
    expect(await begin(swarm, lease, 1)).toEqual({ kind: "go", outputTokensMax: 1_000 });
    await done(swarm, lease, 1, { costUsd: 1.6 });
    expect(await begin(swarm, lease, 2)).toEqual({ kind: "go", outputTokensMax: 600 });
    await done(swarm, lease, 2, { costUsd: 1.6 });
    const reason = "the budget of $3.2 has $0.0000 left, too little for another request, which can cost $2.0000";
    expect([await begin(swarm, lease, 3), control.reached]).toEqual([{ kind: "stop", reason, pause: true }, [reason]]);
    const reserved = (await swarm.records()).filter(({ type }) => type === "request_begun").map(({ data }) => data);
    expect(reserved).toEqual([
      { ...lease, turn: 1, reserved_usd: 2, failed: null },
      { ...lease, turn: 2, reserved_usd: 1.6, failed: null },
    ]);
  });

  it("keeps a request waiting until another one has settled", async () => {
    const { swarm, control } = await rig({ budgetUsd: 3 });
    const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await begin(swarm, first, 1);
    const waiting = begin(swarm, second, 1);
    expect(await now(waiting)).toBe("waits");
    await done(swarm, first, 1);
    control.wake();
    expect(await waiting).toEqual({ kind: "go", outputTokensMax: 1_000 });
  });

  it("lets one go at a time where many wait for the last room", async () => {
    const { swarm, control } = await rig({ budgetUsd: 3 });
    const leases = [await swarm.lease("t1"), await swarm.lease("t2"), await swarm.lease("t3")];
    const asked = leases.map((lease) => begin(swarm, lease, 1));
    const going = () => Promise.all(asked.map((one) => now(one).then((answer) => answer !== "waits")));
    expect(await going()).toEqual([true, false, false]);
    await done(swarm, leases[0] as Lease, 1);
    control.wake();
    expect(await going()).toEqual([true, true, false]);
    // What the last two may cost at the most, and no more than is there.
    expect(swarm.state.spentUsd + [...swarm.state.reserved.values()].reduce((sum, { usd }) => sum + usd, 0)).toBe(2.5);
  });

  it("S19 serves five hundred that wait for room for one, one after the other", { timeout: 60_000 }, async () => {
    const count = 500;
    // The last of them finds $2, which it may cost, and no more.
    const { swarm, control } = await rig({ budgetUsd: 2 + (count - 1) / 1_000 });
    const going: Lease[] = [];
    for (let number = 1; number <= count; number++) {
      await swarm.add(`u${number}`, "work", { parent: "t0" });
      const lease = await swarm.lease(`u${number}`);
      void begin(swarm, lease, 1).then((answer) => {
        if ("kind" in answer && answer.kind === "go") going.push(lease);
      });
    }
    const atOnce = new Set<number>();
    for (let served = 0; served < count; served++) {
      await new Promise((resolve) => setImmediate(resolve));
      atOnce.add(going.length - served);
      const next = going[served];
      if (next !== undefined) await done(swarm, next, 1, { costUsd: 0.001 });
      control.wake();
    }
    expect([going.length, [...atOnce], spentOf(swarm)]).toEqual([count, [1], count / 1_000]);
  });

  it("waits no longer when the lease ends, when its holder's host dies, or when the run stops", async () => {
    const { swarm, control } = await rig({ budgetUsd: 3 });
    const [first, second, third] = [await swarm.lease("t1"), await swarm.lease("t2"), await swarm.lease("t3")];
    await begin(swarm, first, 1);
    const [ended, freed] = [begin(swarm, second, 1), begin(swarm, third, 1)];
    await now(freed);
    await swarm.end(second);
    control.wake();
    expect(await ended).toMatchObject({ kind: "stop", pause: false });
    // Nobody will settle the first one: it is charged in full, and what is left is too little.
    await swarm.end(first);
    control.wake();
    expect(await freed).toMatchObject({ kind: "stop", pause: true });
    expect(spentOf(swarm)).toBe(2);

    const other = await rig({ budgetUsd: 3 });
    const [holder, waiter] = [await other.swarm.lease("t1"), await other.swarm.lease("t2")];
    await begin(other.swarm, holder, 1);
    const waiting = begin(other.swarm, waiter, 1);
    await now(waiting);
    other.control.stopping = "enough";
    other.control.wake();
    expect(await waiting).toEqual({ kind: "stop", reason: "enough", pause: true });
  });

  it("is not kept by a model without a price", async () => {
    const { swarm } = await rig({ budgetUsd: 3 });
    expect(await begin(swarm, await swarm.lease("t1"), 1, { priced: null })).toEqual({
      kind: "stop",
      reason: "a model without a price cannot be kept within a budget",
      pause: true,
    });
    const free = await rig();
    expect(await begin(free.swarm, await free.swarm.lease("t1"), 1, { priced: null })).toMatchObject({ kind: "go" });
  });

  it("charges an attempt that broke, lets another through with the same limit or not at all", async () => {
    const { swarm } = await rig({ budgetUsd: 5.5 });
    const lease = await swarm.lease("t1");
    await begin(swarm, lease, 1);
    expect(await begin(swarm, lease, 1, { after: "broken" })).toEqual({ kind: "go", outputTokensMax: 1_000 });
    expect(spentOf(swarm)).toBe(2);
    // A refusal has cost nothing.
    expect(await begin(swarm, lease, 1, { after: "refused" })).toEqual({ kind: "go", outputTokensMax: 1_000 });
    // $1.50 would do for a request of 500 tokens, but this one may take 1,000.
    expect(await begin(swarm, lease, 1, { after: "broken" })).toMatchObject({ kind: "stop", pause: true });
    await done(swarm, lease, 1, { costUsd: "unavailable", failed: "network: broke off" });
    expect(spentOf(swarm)).toBe(4);
  });

  it("does not let two whose attempts broke wait for each other", async () => {
    const { swarm, control } = await rig({ budgetUsd: 5 });
    const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await begin(swarm, first, 1);
    await begin(swarm, second, 1);
    const both = [begin(swarm, first, 1, { after: "broken" }), begin(swarm, second, 1, { after: "broken" })];
    control.wake();
    expect(await Promise.all(both)).toMatchObject([{ kind: "stop" }, { kind: "stop" }]);
    expect(spentOf(swarm)).toBe(4);
  });

  it("says what has used it up where attempts have failed, and that it is only assumed", async () => {
    const { swarm, control } = await rig({ budgetUsd: 5.5 });
    const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await begin(swarm, first, 1);
    await begin(swarm, first, 1, { after: "broken", failed: "network: ECONNRESET" });
    await done(swarm, first, 1, { costUsd: "unavailable", attempts: 2, failed: "network: it broke\noff" });
    const reason =
      "the budget of $5.5 has $1.5000 left, too little for another request, which can cost $2.0000; 2 attempts that failed count with $4.0000 at the most, the last: the model m failed (network): it broke off";
    const begun = await begin(swarm, second, 1, { outputTokensMax: 1_000, priced: { ...priced, inputUsd: 1.2 } });
    expect([begun, control.reached]).toEqual([
      { kind: "stop", reason: reason.replace("$2.0000;", "$2.2000;"), pause: true },
      [reason.replace("$2.0000;", "$2.2000;")],
    ]);
  });

  it("does not charge the attempt that was refused for free at the end", async () => {
    const { swarm } = await rig({ budgetUsd: 10 });
    const lease = await swarm.lease("t1");
    await begin(swarm, lease, 1);
    await begin(swarm, lease, 1, { after: "broken", failed: "network: ECONNRESET" });
    await done(swarm, lease, 1, { costUsd: "unavailable", heldCharged: false, attempts: 5, failed: "other: 500" });
    expect([spentOf(swarm), assumedOf(swarm.state), swarm.state.failures]).toEqual([
      2,
      { requests: 1, usd: 2 },
      { requests: 1, attempts: 1, usd: 2, last: "the model m failed (other): 500" },
    ]);
  });

  it("lets no attempt through once the run stops", async () => {
    const { swarm, control } = await rig();
    const lease = await swarm.lease("t1");
    await begin(swarm, lease, 1);
    control.stopInOrder("enough", "given-up");
    const stop = { kind: "stop", reason: "enough", pause: true };
    expect(await begin(swarm, lease, 1, { after: "refused" })).toEqual(stop);
    expect(await begin(swarm, lease, 1, { after: "broken" })).toEqual(stop);
  });
});

describe("S17 a limit of requests", () => {
  it("stops who would pass it; all of them are used, and those that were let through may be sent again", async () => {
    const { swarm, control } = await rig({ requestsMax: 3 });
    const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
    const reason = "the run may make 3 model requests and has none left to give";
    expect(await begin(swarm, first, 1)).toMatchObject({ kind: "go" });
    await done(swarm, first, 1);
    expect(await begin(swarm, first, 2)).toMatchObject({ kind: "go" });
    expect(await begin(swarm, second, 1)).toMatchObject({ kind: "go" });
    await done(swarm, first, 2);
    expect([await begin(swarm, first, 3), control.reached]).toEqual([{ kind: "stop", reason, pause: true }, [reason]]);
    expect(await begin(swarm, second, 1, { after: "refused" })).toMatchObject({ kind: "go" });
    expect(await begin(swarm, second, 1, { after: "broken" })).toMatchObject({ kind: "go" });
    await done(swarm, second, 1);
    expect(await begin(swarm, second, 2)).toEqual({ kind: "stop", reason, pause: true });
    // A person who stops it too does not wait for what is on its way.
    control.stopInOrder("enough", "given-up");
    expect(await begin(swarm, second, 1, { after: "refused" })).toEqual({
      kind: "stop",
      reason: "enough",
      pause: true,
    });
  });

  it("says by what requests have failed that used it up", async () => {
    const { swarm } = await rig({ requestsMax: 2 });
    const lease = await swarm.lease("t1");
    await begin(swarm, lease, 1);
    await done(swarm, lease, 1, { failed: "other: status 500: boom; given up after 5 attempts" });
    await begin(swarm, lease, 2);
    await done(swarm, lease, 2, { failed: "aborted" });
    expect(await begin(swarm, lease, 3)).toMatchObject({
      reason:
        "the run may make 2 model requests and has none left to give; 1 of them failed, the last: the model m failed (other): status 500: boom; given up after 5 attempts",
    });
  });

  it("counts a request that was let through and whose outcome nobody told", async () => {
    const { swarm } = await rig({ requestsMax: 2 });
    const dead = await swarm.lease("t1");
    await begin(swarm, dead, 1);
    await swarm.end(dead);
    expect(await begin(swarm, await swarm.lease("t2"), 1)).toMatchObject({ kind: "go" });
    expect(await begin(swarm, await swarm.lease("t3"), 1)).toMatchObject({ kind: "stop" });
  });
});

describe("the bill", () => {
  it("has a request once, whoever tells of it again after a crash", async () => {
    const { swarm } = await rig();
    const dead = await swarm.lease("t1");
    await begin(swarm, dead, 1);
    await done(swarm, dead, 1);
    await begin(swarm, dead, 2);
    await swarm.end(dead);
    // The same agent goes on under another lease; its transcript ends with the second request.
    const alive = await swarm.leaseAgain(dead);
    await done(swarm, alive, 2, { again: true });
    await done(swarm, alive, 2, { again: true });
    await done(swarm, alive, 1, { again: true });
    await begin(swarm, alive, 3);
    await done(swarm, alive, 3);
    expect(await billed(swarm)).toMatchObject([
      { turn: 1, fence: dead.fence },
      { turn: 2, fence: dead.fence },
      { turn: 3, fence: alive.fence },
    ]);
    expect(spentOf(swarm)).toBe(1.5);
  });

  it("has a request that was made twice twice: under each of its leases", async () => {
    const { swarm } = await rig();
    const dead = await swarm.lease("t1");
    await begin(swarm, dead, 1);
    await swarm.end(dead);
    const alive = await swarm.leaseAgain(dead);
    await begin(swarm, alive, 1);
    await done(swarm, alive, 1);
    // The host that was cut off is heard again.
    await done(swarm, dead, 1);
    expect(await billed(swarm)).toMatchObject([{ fence: alive.fence }, { fence: dead.fence }]);
    expect(spentOf(swarm)).toBe(1);
  });

  it("takes a late request under a lease that has ended", async () => {
    const { swarm } = await rig();
    const dead = await swarm.lease("t1");
    await swarm.end(dead);
    expect(await done(swarm, dead, 1)).toEqual({});
    expect(swarm.state.bills.get("worker")).toEqual({
      requests: 1,
      requestsFailed: 0,
      attempts: 1,
      requestsIncomplete: 0,
      inputTokens: 10,
      cachedTokens: 0,
      outputTokens: 5,
      costUsd: 0.5,
    });
  });
});

describe("a request that was let through and never sent", () => {
  it("is no request: nothing is held back, charged or counted, told of in time or late", async () => {
    const { swarm } = await rig({ budgetUsd: 10 });
    const lease = await swarm.lease("t1");
    const withdraw = (turn: number) => swarm.ask({ kind: "request_withdrawn", lease, turn });
    await begin(swarm, lease, 1);
    expect(await withdraw(1)).toEqual({});
    const early = [swarm.state.reserved.size, swarm.state.untold.size, spentOf(swarm)];
    await begin(swarm, lease, 2);
    await swarm.end(lease);
    const lost = [swarm.state.untold.size, spentOf(swarm)];
    await withdraw(2);
    await withdraw(2);
    await withdraw(7);
    expect([early, lost, swarm.state.untold.size, spentOf(swarm), swarm.state.bills.size]).toEqual([
      [0, 0, 0],
      [1, 2],
      0,
      0,
      0,
    ]);
    const told = (await swarm.records()).filter(({ type }) => type === "request_withdrawn");
    expect(told.map(({ data }) => data)).toEqual([
      { ...lease, turn: 1 },
      { ...lease, turn: 2 },
    ]);
  });
});

describe("what is assumed to be spent", () => {
  it("is kept apart from what is known: lost requests, attempts that broke, and costs that were not told", async () => {
    const { swarm } = await rig({ budgetUsd: 100 });
    const lease = await swarm.lease("t1");
    const seen = (): readonly number[] => [spentOf(swarm), assumedOf(swarm.state).usd, assumedOf(swarm.state).requests];
    const steps = [];
    await begin(swarm, lease, 1);
    await done(swarm, lease, 1, { costUsd: 0.5 });
    steps.push(seen());
    // The first attempt broke: its $2 are charged until the answer tells the cost of both.
    await begin(swarm, lease, 2);
    await begin(swarm, lease, 2, { after: "broken" });
    steps.push(seen());
    await done(swarm, lease, 2, { costUsd: "unavailable", attempts: 2 });
    steps.push(seen());
    await begin(swarm, lease, 3);
    await swarm.end(lease);
    steps.push(seen());
    // Its host was only cut off.
    await done(swarm, lease, 3, { costUsd: 1 });
    steps.push(seen());
    expect(steps).toEqual([
      [0.5, 0, 0],
      [2.5, 2, 1],
      [4.5, 4, 1],
      [6.5, 6, 2],
      [5.5, 4, 1],
    ]);
    expect(swarm.state.bills.get("worker")).toMatchObject({ requests: 3, requestsFailed: 0, attempts: 4 });
  });
});
