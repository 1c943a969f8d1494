// Many agents behind one limiter, on simulated time: what the provider sees of them, that all of them get on, and that nothing is
// left behind. What was allowed is checked against the provider's own account.

import { describe, expect, test } from "vitest";
import { runAgent } from "../agent/loop.ts";
import { type AgentId, asAgentId } from "../base/ids.ts";
import { call, calling, rig, saying, tool } from "../testing/agent/rig.ts";
import { BusyProvider, type Plan, refused } from "../testing/model/busy-provider.ts";
import { type CountedClock, countedClock } from "../testing/model/counted-clock.ts";
import { eventsOf, requestOf } from "../testing/model/requests.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { seededRandom } from "../testing/sim/random.ts";
import { limited } from "./limited.ts";
import { type Acquired, createLimiter, type Limiter, type LimiterSettings, type Permit } from "./limiter.ts";
import type { AttemptReport, ModelRequest, Provider } from "./provider.ts";

const answers: Plan = { kind: "answer" };
const agents = (count: number): readonly AgentId[] =>
  Array.from({ length: count }, (_, index) => asAgentId(`a${index + 1}`));

interface Bench {
  readonly sim: SimHost;
  readonly clock: CountedClock;
  readonly limiter: Limiter;
}

function bench(settings: Partial<LimiterSettings>, seed = 1): Bench {
  const sim = simHost({ seed });
  const clock = countedClock(sim.clock);
  return { sim, clock, limiter: createLimiter({ clock, random: sim.random, settings }) };
}

function ask(limiter: Limiter, agent: string, signal = new AbortController().signal): Promise<Acquired> {
  return limiter.acquire({ agent: asAgentId(agent), sinceMs: limiter.clock.monotonicMs(), signal });
}

async function permitOf(asked: Promise<Acquired>): Promise<Permit> {
  const acquired = await asked;
  if (acquired.kind !== "permit") throw new Error(`no permit: ${acquired.kind}`);
  return acquired.permit;
}

describe("permits", () => {
  test("they are given in the order of asking, agents taking turns", async () => {
    const { limiter } = bench({ concurrentMax: 1 });
    const first = await permitOf(ask(limiter, "a1"));
    const order: string[] = [];
    const waiting = ["a1 first", "a1 second", "a1 third", "a2 first", "a3 first", "a2 second"].map(async (name) => {
      const permit = await permitOf(ask(limiter, name.slice(0, 2)));
      order.push(name);
      permit.release();
    });
    first.release();
    await Promise.all(waiting);
    expect(order).toEqual(["a1 first", "a2 first", "a3 first", "a1 second", "a2 second", "a1 third"]);
  });

  test("a permit that is given back twice is one permit", async () => {
    const { limiter } = bench({ concurrentMax: 1 });
    const first = await permitOf(ask(limiter, "a1"));
    first.release();
    first.release();
    await permitOf(ask(limiter, "a2"));
    void ask(limiter, "a3");
    expect(limiter.view()).toEqual({ running: 1, waiting: 1, allowed: 1, pausedMs: 0 });
  });

  test("H18 an abort while waiting leaves the queue at once; the next in line is not held up", async () => {
    const { limiter, clock } = bench({ concurrentMax: 1 });
    const first = await permitOf(ask(limiter, "a1"));
    const stop = new AbortController();
    const second = ask(limiter, "a2", stop.signal);
    const third = ask(limiter, "a3");
    stop.abort();
    const gone = (await second).kind;
    const queued = limiter.view().waiting;
    first.release();
    (await permitOf(third)).release();
    const late = (await ask(limiter, "a4", stop.signal)).kind;
    expect([gone, queued, late, limiter.view(), clock.timersSet]).toEqual([
      "aborted",
      1,
      "aborted",
      { running: 0, waiting: 0, allowed: 1, pausedMs: 0 },
      0,
    ]);
  });

  test("an abort during a pause takes its timer along", async () => {
    const { limiter, clock } = bench({});
    const first = await permitOf(ask(limiter, "a1"));
    first.refused({ kind: "model", code: "rate-limit", message: "", retryAfterMs: 60_000 });
    first.release();
    const stop = new AbortController();
    const waiting = ask(limiter, "a2", stop.signal);
    const during = clock.timersSet;
    stop.abort();
    expect([during, (await waiting).kind, clock.timersSet]).toEqual([1, "aborted", 0]);
  });

  test("refusals of one wave halve what goes at once only once, and answers bring it back", async () => {
    const { limiter, sim } = bench({ concurrentMax: 8 });
    const rejection = { kind: "model", code: "overloaded", message: "", retryAfterMs: null } as const;
    const wave = await Promise.all(agents(8).map((agent) => permitOf(ask(limiter, agent))));
    for (const permit of wave) permit.refused(rejection);
    for (const permit of wave) permit.release();
    const after = limiter.view().allowed;
    const rounds: number[] = [];
    for (let round = 0; round < 4; round++) {
      const atOnce = limiter.view().allowed;
      const permits = await sim.run(Promise.all(agents(atOnce).map((agent) => permitOf(ask(limiter, agent)))));
      for (const permit of permits) permit.answered();
      for (const permit of permits) permit.release();
      rounds.push(limiter.view().allowed);
    }
    // 4 + 1/4 + 1/4.25 + 1/4.485 + 1/4.708 = 4.92, and so on: one more for each round, whole ones count.
    expect([after, rounds]).toEqual([4, [4, 5, 6, 7]]);
  });

  test("an answer to what was sent before the refusals does not end them", async () => {
    const { limiter } = bench({ concurrentMax: 2 });
    const [first, second] = [await permitOf(ask(limiter, "a1")), await permitOf(ask(limiter, "a2"))];
    first.refused({ kind: "model", code: "rate-limit", message: "", retryAfterMs: 60_000 });
    second.answered();
    for (const permit of [first, second]) permit.release();
    void ask(limiter, "a3");
    const { pausedMs, ...view } = limiter.view();
    expect([view, pausedMs >= 60_000]).toEqual([{ running: 0, waiting: 1, allowed: 1 }, true]);
  });

  test("requests that an earlier process may have sent count in the first minute", async () => {
    const sim = simHost({ seed: 1 });
    const { clock, random } = sim;
    const limiter = createLimiter({ clock, random, settings: { requestsPerMinute: 5 }, requestsBefore: 4 });
    const times = await sim.run(
      Promise.all(
        agents(3).map(async (agent) => {
          await permitOf(ask(limiter, agent));
          return clock.monotonicMs();
        }),
      ),
    );
    expect(times).toEqual([0, 62_000, 62_000]);
  });
});

describe("agents", () => {
  /** Six agents that each ask, call a tool and ask again; nobody's tool returns before all six have called it. */
  async function sixAgents(provider: Provider, sim: SimHost) {
    const everybody = Promise.withResolvers<void>();
    let met = 0;
    const meet = tool("meet", "read", async () => {
      met++;
      if (met === 6) everybody.resolve();
      await everybody.promise;
      return { kind: "text", text: "all here" };
    });
    const runs = agents(6).map((agent) => {
      const one = rig({ answers: [], tools: [meet] });
      return runAgent({ ...one.spec, agent }, { ...one.ports, provider, clock: sim.clock });
    });
    return sim.run(Promise.all(runs));
  }

  const meetThenEnd = (request: ModelRequest) =>
    request.context.turn === 1 ? calling(call("c1", "meet")) : saying("done");

  test("H18 six agents, three requests at once: nobody is refused, nobody waits with a permit in hand", async () => {
    const { sim, clock, limiter } = bench({ concurrentMax: 3 });
    const provider = new BusyProvider({ clock, plan: () => answers, atOnceMax: 3, answer: meetThenEnd });
    const results = await sixAgents(limited(provider, limiter), sim);
    expect({
      ends: results.map((result) => result.kind),
      atOnce: provider.atOnceSeen,
      arrivals: provider.arrivals.map((arrival) => [arrival.plan, arrival.atMs]).slice(0, 6),
      timers: clock.timersSet,
      view: limiter.view(),
    }).toEqual({
      ends: Array.from({ length: 6 }, () => "stopped"),
      atOnce: 3,
      arrivals: [0, 0, 0, 1_000, 1_000, 1_000].map((atMs) => ["answer", atMs]),
      timers: 0,
      view: { running: 0, waiting: 0, allowed: 3, pausedMs: 0 },
    });
  });

  test("H18 six agents against three at once that the limiter does not know of: refused, slower, and all done", async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { sim, clock, limiter } = bench({ concurrentMax: 6 }, seed);
      const provider = new BusyProvider({ clock, plan: () => answers, atOnceMax: 3, answer: meetThenEnd });
      const results = await sixAgents(limited(provider, limiter), sim);
      const refusals = provider.arrivals.filter((arrival) => arrival.plan === "refuse").length;
      expect([results.map((result) => result.kind), refusals > 0, provider.arrivals.length - refusals]).toEqual([
        Array.from({ length: 6 }, () => "stopped"),
        true,
        12,
      ]);
      expect(clock.timersSet).toBe(0);
    }
  });

  test("H18 the history holds the good attempt only; the bill holds both, and the wait apart", async () => {
    const { sim, clock, limiter } = bench({});
    const provider = new BusyProvider({
      clock,
      plan: (n) => (n === 1 ? { kind: "break", code: "network" } : n === 2 ? refused("rate-limit", 5_000) : answers),
      answer: () => saying(", world"),
    });
    const one = rig({ answers: [] });
    const result = await sim.run(runAgent(one.spec, { ...one.ports, provider: limited(provider, limiter), clock }));
    const unknown = { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" };
    const [report] = one.entries.flatMap((entry) => (entry.kind === "request" ? [entry.report] : []));
    expect({ messages: result.messages, totals: result.totals, charges: report?.charges }).toEqual({
      messages: [
        { role: "user", text: "go" },
        { role: "assistant", text: "hello, world", calls: [] },
      ],
      // 60 fresh tokens at 10, 40 cached at 1 and 10 output at 100 dollars per million: 1,640 micro-dollars.
      totals: {
        requests: 1,
        usage: unknown,
        costUsd: "unavailable",
        known: { inputTokens: 100, cachedTokens: 40, outputTokens: 10, costUsd: 0.00164 },
        requestsIncomplete: 1,
        requestsUnpriced: 1,
      },
      charges: [
        { usage: unknown, costUsd: "unavailable" },
        { usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 10 }, costUsd: 0.00164 },
      ],
    });
    const { durationMs = 0, waitedMs = 0, attempts = [] } = report ?? {};
    const asking = attempts.reduce((sum: number, attempt: AttemptReport) => sum + attempt.durationMs, 0);
    expect([asking, durationMs - waitedMs]).toEqual([2_020, 2_020]);
    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
  });

  test("H18 a request that was refused to the end cost nothing, and one that never left the queue neither", async () => {
    const { sim, clock, limiter } = bench({ attemptsRefusedMax: 2 });
    const provider = new BusyProvider({ clock, plan: () => refused("overloaded", 20_000) });
    const ports = { provider: limited(provider, limiter), clock };
    const [one, two] = [rig({ answers: [] }), rig({ answers: [] })];
    clock.after(10_000, () => two.abort.abort());
    const results = await sim.run(
      Promise.all([
        runAgent(one.spec, { ...one.ports, ...ports }),
        clock.sleep(1_000).then(() => runAgent(two.spec, { ...two.ports, ...ports })),
      ]),
    );
    const free = {
      requests: 1,
      usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
      costUsd: 0,
      known: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 },
      requestsIncomplete: 0,
      requestsUnpriced: 0,
    };
    const waits = two.entries.flatMap((entry) => (entry.kind === "request" ? [entry.report.waitedMs] : []));
    expect([results.map(({ kind, totals }) => ({ kind, totals })), waits]).toEqual([
      [
        { kind: "model-error", totals: free },
        { kind: "cancelled", totals: free },
      ],
      [9_000],
    ]);
  });
});

describe("storms", () => {
  interface Storm {
    readonly provider: BusyProvider;
    readonly done: readonly number[];
    readonly errors: readonly string[];
    readonly longestMs: number;
    readonly reports: readonly AttemptReport[];
    readonly timersLeft: number;
  }

  /** Each agent asks again and again for `minutes` of virtual time. */
  async function storm(
    setup: {
      readonly agents: number;
      readonly minutes: number;
      /** By the time of arrival. */
      readonly plan: (atMs: number) => Plan;
      readonly seed: number;
    },
    settings: Partial<LimiterSettings>,
  ): Promise<Storm> {
    const { sim, clock, limiter } = bench(settings, setup.seed);
    const provider = new BusyProvider({ clock, plan: () => setup.plan(clock.monotonicMs()), answerMs: 3_000 });
    const reports: AttemptReport[] = [];
    const shown = limited(provider, limiter, { onAttempt: (report) => void reports.push(report) });
    const errors: string[] = [];
    let longestMs = 0;
    const loop = async (agent: AgentId): Promise<number> => {
      let done = 0;
      for (let turn = 1; clock.monotonicMs() < setup.minutes * 60_000; turn++) {
        const fromMs = clock.monotonicMs();
        const last = (await eventsOf(shown, requestOf({ agent, turn }))).at(-1);
        longestMs = Math.max(longestMs, clock.monotonicMs() - fromMs);
        if (last?.kind === "done") done++;
        else errors.push(last?.kind === "error" ? last.error.message : String(last?.kind));
      }
      return done;
    };
    const done = await sim.run(Promise.all(agents(setup.agents).map(loop)));
    return { provider, done, errors, longestMs, reports, timersLeft: clock.timersSet };
  }

  test("S18 ten minutes in which half is refused, a tenth breaks: requests a minute stay below, nobody starves", async () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed, "storm");
      const plan = (): Plan => {
        const draw = random.unit();
        if (draw < 0.25) return refused("rate-limit", Math.floor(random.unit() * 3_000));
        if (draw < 0.5) return refused(draw < 0.4 ? "overloaded" : "rate-limit");
        return draw < 0.6 ? { kind: "break", code: "network" } : answers;
      };
      const { provider, done, errors, longestMs, reports, timersLeft } = await storm(
        { agents: 8, minutes: 10, plan, seed },
        { concurrentMax: 8, requestsPerMinute: 30 },
      );
      expect(provider.perMinuteSeen()).toBeLessThanOrEqual(30);
      // Ten minutes of 30 and a bit for the margin and the pauses; far fewer would mean that the limiter sleeps.
      expect(provider.arrivals.length).toBeGreaterThan(200);
      expect(errors).toEqual([]);
      expect(Math.min(...done)).toBeGreaterThan(Math.max(...done) / 2);
      // Eight agents take turns for 30 requests a minute of which two fifths succeed: about 40 s a request.
      expect(longestMs).toBeLessThan(300_000);
      expect([timersLeft, provider.atOnce, reports.length]).toEqual([0, 0, provider.arrivals.length]);
    }
  });

  test("S18 whoever is told to wait makes all wait: no request before the time is over", async () => {
    const random = seededRandom(7, "storm");
    const plan = (): Plan => (random.unit() < 0.3 ? refused("rate-limit", 1_000 + random.unit() * 20_000) : answers);
    const told: { readonly atMs: number; readonly untilMs: number }[] = [];
    const plans: Plan[] = [];
    const { provider } = await storm(
      {
        agents: 6,
        minutes: 10,
        seed: 7,
        plan: () => {
          const next = plan();
          plans.push(next);
          return next;
        },
      },
      { concurrentMax: 6 },
    );
    for (const [index, arrival] of provider.arrivals.entries()) {
      const made = plans[index];
      // The refusal takes 20 ms to arrive.
      const atMs = arrival.atMs + 20;
      if (made?.kind === "refuse") told.push({ atMs, untilMs: atMs + (made.retryAfterMs ?? 0) });
    }
    const early = provider.arrivals.filter(({ atMs }) => told.some((one) => atMs > one.atMs && atMs < one.untilMs));
    expect([told.length > 10, early]).toEqual([true, []]);
  });

  test("S18 ten minutes of nothing but refusals: few requests, no error, and all go on afterwards", async () => {
    const { provider, done, errors, reports } = await storm(
      { agents: 20, minutes: 14, plan: (atMs) => (atMs < 600_000 ? refused("rate-limit", 40_000) : answers), seed: 1 },
      { concurrentMax: 20, requestsPerMinute: 60, outageMsMax: 720_000 },
    );
    const refusals = provider.arrivals.filter((arrival) => arrival.plan === "refuse");
    expect(errors).toEqual([]);
    // The first wave of 20, then 10, 5, 2 and single ones every 40 to 44 s.
    expect(refusals.map((arrival) => Math.floor(arrival.atMs / 44_100)).filter((nth) => nth === 0).length).toBe(30);
    expect(refusals.length).toBeLessThanOrEqual(20 + 10 + 5 + 2 + 11);
    expect(reports.filter((report) => report.mayCost).length).toBe(provider.arrivals.length - refusals.length);
    expect(Math.min(...done)).toBeGreaterThan(0);
  });

  test("S18 refused for ever: 500 waiting requests all end within the limit, with the provider's words", async () => {
    const { sim, clock, limiter } = bench({});
    const provider = new BusyProvider({ clock, plan: () => refused("overloaded") });
    const shown = limited(provider, limiter);
    const lasts = await sim.run(
      Promise.all(agents(500).map(async (agent) => (await eventsOf(shown, requestOf({ agent }))).at(-1))),
    );
    const codes = new Set(lasts.map((last) => (last?.kind === "error" ? last.error.code : last?.kind)));
    const words = lasts.filter((last) => last?.kind === "error" && last.error.message.startsWith("told overloaded"));
    expect([[...codes], words.length, clock.timersSet]).toEqual([["overloaded"], 500, 0]);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(150_000);
    // One at a time probes, and less and less often.
    expect(provider.arrivals.length).toBeLessThan(60);
    expect(limiter.view()).toEqual({ running: 0, waiting: 0, allowed: 1, pausedMs: expect.any(Number) });
  });
});
