// One request behind a limiter: what is tried again and what is not, what its reader sees, and what each attempt may have cost.

import { expect, test } from "vitest";
import { call, calling, PreparedProvider, StillClock } from "../testing/agent/rig.ts";
import { describeProvider } from "../testing/contract/provider.ts";
import { BusyProvider, type Plan, refused } from "../testing/model/busy-provider.ts";
import { eventsOf, requestOf } from "../testing/model/requests.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { seededRandom } from "../testing/sim/random.ts";
import { type LimitedOptions, limited } from "./limited.ts";
import { createLimiter, type LimiterSettings } from "./limiter.ts";
import type { AttemptReport, ModelError, StreamEvent } from "./provider.ts";

const unknown = { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" };
const nothing = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const said = { inputTokens: 100, cachedTokens: 40, outputTokens: 10 };
const answers: Plan = { kind: "answer" };

describeProvider("limited", () => {
  const overloaded: ModelError = { kind: "model", code: "overloaded", message: "", retryAfterMs: null };
  const limiter = createLimiter({
    clock: new StillClock(),
    random: seededRandom(1, "limiter"),
    settings: { attemptsRefusedMax: 1 },
  });
  return {
    answering: limited(
      new PreparedProvider([[{ kind: "text", text: "hello" }, ...calling(call("c1", "look"), call("c2", "look"))]]),
      limiter,
    ),
    failing: limited(new PreparedProvider([[{ kind: "error", error: overloaded }]]), limiter),
  };
});

interface Bench {
  readonly sim: SimHost;
  readonly provider: BusyProvider;
  readonly reports: AttemptReport[];
  /** The limiter's state at the end. */
  view(): unknown;
  events(signal?: AbortSignal): Promise<readonly StreamEvent[]>;
}

function bench(
  plans: readonly Plan[],
  settings: Partial<LimiterSettings> = {},
  mayRetry?: LimitedOptions["mayRetry"],
): Bench {
  const sim = simHost({ seed: 3 });
  const { clock, random } = sim;
  const provider = new BusyProvider({ clock, plan: (n) => plans[Math.min(n, plans.length) - 1] ?? answers });
  const reports: AttemptReport[] = [];
  const limiter = createLimiter({ clock, random, settings });
  const shown = limited(provider, limiter, {
    onAttempt: (report) => void reports.push(report),
    ...(mayRetry === undefined ? {} : { mayRetry }),
  });
  return {
    sim,
    provider,
    reports,
    view: () => limiter.view(),
    events: (signal) => sim.run(eventsOf(shown, requestOf(), signal)),
  };
}

const story = (events: readonly StreamEvent[]): readonly string[] =>
  events.map((event) => {
    if (event.kind === "text") return event.text;
    if (event.kind === "call") return `call ${JSON.stringify(event.call.arguments)}`;
    if (event.kind === "error") return `${event.error.code}: ${event.error.message}`;
    if (event.kind !== "attempt") return event.kind;
    const { attempt } = event;
    return attempt.kind === "ended" ? `ended ${attempt.report.outcome}` : `${attempt.kind} ${attempt.number}`;
  });

const outline = (reports: readonly AttemptReport[]) =>
  reports.map(({ number, outcome, error, mayCost, usage, durationMs }) => ({
    number,
    outcome,
    code: error?.code ?? null,
    mayCost,
    usage,
    durationMs,
  }));

test("H18 a stream that breaks after a call was announced is asked again; the broken call is never seen", async () => {
  const { events, reports, view } = bench([{ kind: "break", code: "network" }, { kind: "break", code: null }, answers]);
  const arguments3 = JSON.stringify({ kind: "parsed", value: { n: 3 } });
  expect({ story: story(await events()), reports: outline(reports), view: view() }).toEqual({
    story: [
      "waiting 1",
      "started 1",
      "hel",
      "ended error",
      "waiting 2",
      "started 2",
      "hel",
      "ended error",
      "waiting 3",
      "started 3",
      "hello",
      "ended calls",
      `call ${arguments3}`,
      `call ${arguments3}`,
      "done",
    ],
    reports: [
      { number: 1, outcome: "error", code: "network", mayCost: true, usage: unknown, durationMs: 1_000 },
      { number: 2, outcome: "error", code: "bad-answer", mayCost: true, usage: unknown, durationMs: 1_000 },
      { number: 3, outcome: "calls", code: null, mayCost: true, usage: said, durationMs: 1_000 },
    ],
    view: { running: 0, waiting: 0, allowed: 16, pausedMs: 0 },
  });
});

test("S18 what a refusal costs is known to be nothing; waiting is apart from asking", async () => {
  const { events, reports, provider } = bench([refused("rate-limit", 30_000), refused("overloaded"), answers]);
  const done = (await events()).at(-1)?.kind;
  const [first, second, third] = reports;
  const waits = [first, second, third].map((report) => report?.waitedMs ?? -1);
  expect({ done, reports: outline(reports) }).toEqual({
    done: "done",
    reports: [
      { number: 1, outcome: "error", code: "rate-limit", mayCost: false, usage: nothing, durationMs: 20 },
      { number: 2, outcome: "error", code: "overloaded", mayCost: false, usage: nothing, durationMs: 20 },
      { number: 3, outcome: "calls", code: null, mayCost: true, usage: said, durationMs: 1_000 },
    ],
  });
  expect(waits[0]).toBe(0);
  expect(waits[1]).toBeGreaterThanOrEqual(30_000);
  expect(waits[1]).toBeLessThanOrEqual(33_001);
  // The second refusal in a row without a named time: at most two seconds.
  expect(waits[2]).toBeLessThanOrEqual(2_001);
  expect(provider.arrivals.map((arrival) => arrival.atMs)).toEqual([
    0,
    20 + (waits[1] ?? 0),
    40 + (waits[1] ?? 0) + (waits[2] ?? 0),
  ]);
});

test("S18 a bad key, a used-up quota and a bad request are not tried again, and stay what they are", async () => {
  const stories = [];
  for (const code of ["unauthorized", "quota", "bad-request", "script"] as const) {
    const one = bench([refused(code)]);
    stories.push([story(await one.events()).at(-1), one.provider.arrivals.length, one.reports[0]?.mayCost]);
  }
  expect(stories).toEqual([
    ["unauthorized: told unauthorized", 1, false],
    ["quota: told quota", 1, false],
    ["bad-request: told bad-request", 1, false],
    ["script: told script", 1, false],
  ]);
});

test("a request is broken only so often, and its last error says how often", async () => {
  const { events, reports, view } = bench([refused("other")]);
  expect([story(await events()).at(-1), reports.map((report) => report.mayCost), view()]).toEqual([
    "other: told other; given up after 5 attempts",
    [true, true, true, true, true],
    { running: 0, waiting: 0, allowed: 16, pausedMs: 0 },
  ]);
});

test("a broken attempt makes its own request wait: up to 1, 2, 4 and 8 s, or at least as long as the provider says", async () => {
  const [unnamed, named] = [bench([refused("other")]), bench([refused("other", 7_000)])];
  await unnamed.events();
  await named.events();
  const waits = (of: Bench) => of.reports.map((report) => report.waitedMs).slice(1);
  expect(waits(unnamed).map((waitedMs, index) => waitedMs > 0 && waitedMs <= 1_001 * 2 ** index)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(waits(named).map((waitedMs) => waitedMs >= 7_000 && waitedMs <= 7_701)).toEqual([true, true, true, true]);
});

test("a request is refused only so often", async () => {
  const { events, reports } = bench([refused("rate-limit")], { attemptsRefusedMax: 3 });
  expect([story(await events()).at(-1), reports.length]).toEqual([
    "rate-limit: told rate-limit; given up after 3 attempts",
    3,
  ]);
});

test("attempts and pauses have a time limit", async () => {
  const { events, reports } = bench([{ kind: "break", code: "network" }], {
    requestMsMax: 2_500,
    attemptsBrokenMax: 100,
  });
  const last = story(await events()).at(-1);
  expect(last).toMatch(/^network: told network; given up after [23] attempts, since a request may take 3 s$/);
  expect(reports.length).toBeLessThanOrEqual(3);
});

test("an Retry-After beyond the time limit is not waited for", async () => {
  const { sim, events, provider } = bench([refused("rate-limit", 3_600_000)]);
  expect([story(await events()).at(-1), provider.arrivals.length, sim.clock.monotonicMs()]).toEqual([
    expect.stringMatching(
      /^rate-limit: told rate-limit; given up: refused for 0 s, the next try could be made in 36\d\d s, and a request waits 150 s at the most$/,
    ),
    1,
    20,
  ]);
});

test("a provider that says nothing is given up, and its permit is free for the next try", async () => {
  const { events, reports, provider, view } = bench([{ kind: "hang" }, answers], { concurrentMax: 1 });
  const { durationMs, error } = await events().then(() => reports[0] ?? Promise.reject(new Error("no report")));
  expect({ durationMs, error, outcomes: reports.map((report) => report.outcome), view: view() }).toEqual({
    durationMs: 600_000,
    error: {
      kind: "model",
      code: "network",
      message: "the provider said nothing for 600 s",
      retryAfterMs: null,
      silent: true,
    },
    outcomes: ["error", "calls"],
    view: { running: 0, waiting: 0, allowed: 1, pausedMs: 0 },
  });
  expect(provider.arrivals.length).toBe(2);
});

test("a provider that goes on saying nothing is asked twice, not for an hour", async () => {
  const { events, sim, provider } = bench([{ kind: "hang" }]);
  const last = story(await events()).at(-1);
  expect([last, provider.arrivals.length]).toEqual([
    "network: the provider said nothing for 600 s; given up after 2 attempts",
    2,
  ]);
  // Twice 600 s, and a pause of a second at the most between them.
  expect(sim.clock.monotonicMs()).toBeLessThanOrEqual(1_201_000);
});

test("S17 what nobody bills for costs nothing, whatever it is called; once something was said it may", async () => {
  const error: ModelError = {
    kind: "model",
    code: "other",
    message: "status 500",
    retryAfterMs: null,
    uncharged: true,
  };
  const sim = simHost({ seed: 1 });
  const provider = new PreparedProvider([
    [{ kind: "error", error }],
    [
      { kind: "text", text: "hel" },
      { kind: "error", error },
    ],
    [{ kind: "error", error: { ...error, code: "bad-answer" } }],
  ]);
  const reports: AttemptReport[] = [];
  const limiter = createLimiter({ clock: sim.clock, random: sim.random, settings: { attemptsBrokenMax: 3 } });
  const shown = limited(provider, limiter, { onAttempt: (report) => void reports.push(report) });
  await sim.run(eventsOf(shown));
  expect(reports.map(({ mayCost, usage }) => [mayCost, usage])).toEqual([
    [false, nothing],
    [true, unknown],
    [false, nothing],
  ]);
});

test("S17 whoever keeps the budget can forbid the next try", async () => {
  const asked: boolean[] = [];
  const { events, provider } = bench([{ kind: "break", code: "network" }], {}, async (failed) => {
    asked.push(failed.mayCost);
    return "the budget is spent";
  });
  expect([story(await events()).at(-1), asked, provider.arrivals.length]).toEqual([
    "network: told network; not tried again: the budget is spent",
    [true],
    1,
  ]);
});

test("an abort ends the attempt, which may have cost something, and one that waits ends without an attempt", async () => {
  const running = bench([answers]);
  const stop = new AbortController();
  running.sim.clock.after(400, () => stop.abort());
  const during = story(await running.events(stop.signal));
  const waiting = bench([refused("rate-limit", 60_000)]);
  const stopWaiting = new AbortController();
  waiting.sim.clock.after(10_000, () => stopWaiting.abort());
  const before = story(await waiting.events(stopWaiting.signal));
  expect({ during, reports: outline(running.reports), before, refused: waiting.reports.length }).toEqual({
    during: ["waiting 1", "started 1", "hello", "ended aborted", "aborted"],
    reports: [{ number: 1, outcome: "aborted", code: null, mayCost: true, usage: unknown, durationMs: 400 }],
    before: ["waiting 1", "started 1", "ended error", "waiting 2", "aborted"],
    refused: 1,
  });
  // 400 ms and 10 s: nobody waited for the answer or the pause.
  expect([running.sim.clock.monotonicMs(), waiting.sim.clock.monotonicMs(), running.view(), waiting.view()]).toEqual([
    400,
    10_000,
    { running: 0, waiting: 0, allowed: 16, pausedMs: 0 },
    { running: 0, waiting: 0, allowed: 8, pausedMs: expect.any(Number) },
  ]);
});

test("a reader who leaves in the middle gives the permit back, and the attempt is reported", async () => {
  const { sim, provider, reports } = bench([answers]);
  const limiter = createLimiter({ clock: sim.clock, random: sim.random, settings: { concurrentMax: 1 } });
  const shown = limited(provider, limiter, { onAttempt: (report) => void reports.push(report) });
  const leave = async () => {
    for await (const event of shown.request(requestOf(), new AbortController().signal)) {
      if (event.kind === "text") return;
    }
  };
  await sim.run(leave());
  expect([outline(reports).map(({ outcome, usage }) => [outcome, usage]), limiter.view()]).toEqual([
    [["aborted", unknown]],
    { running: 0, waiting: 0, allowed: 1, pausedMs: 0 },
  ]);
});

test("an answer that says nothing is asked again, and its usage is kept", async () => {
  const sim = simHost({ seed: 1 });
  const provider = new PreparedProvider([
    [{ kind: "done", stop: "end", usage: said }],
    [
      { kind: "text", text: "there" },
      { kind: "done", stop: "end", usage: said },
    ],
  ]);
  const reports: AttemptReport[] = [];
  const limiter = createLimiter({ clock: sim.clock, random: sim.random, settings: {} });
  const shown = limited(provider, limiter, { onAttempt: (report) => void reports.push(report) });
  const events = await sim.run(eventsOf(shown));
  expect([story(events).at(-1), reports.map(({ outcome, usage }) => [outcome, usage])]).toEqual([
    "done",
    [
      ["error", said],
      ["end", said],
    ],
  ]);
});

test("a held request that waits for its turn, or between two attempts, is never sent; one on its way is answered", async () => {
  const sim = simHost({ seed: 5 });
  const { clock, random } = sim;
  const provider = new BusyProvider({ clock, plan: (n) => (n === 1 ? refused("rate-limit", 60_000) : answers) });
  const limiter = createLimiter({ clock, random, settings: { concurrentMax: 2 } });
  const hold = new AbortController();
  const shown = limited(provider, limiter, { hold: hold.signal });
  const both = Promise.all([eventsOf(shown), sim.clock.sleep(100).then(() => eventsOf(shown))]);
  await sim.run(clock.sleep(10_000));
  hold.abort("enough");
  const ends = (await sim.run(both)).map((events) => events.at(-1));
  expect([ends, provider.arrivals.length]).toEqual([[{ kind: "aborted" }, { kind: "aborted" }], 1]);
  expect(limiter.view()).toMatchObject({ running: 0, waiting: 0 });

  const later = new AbortController();
  const sent = eventsOf(limited(provider, createLimiter({ clock, random, settings: {} }), { hold: later.signal }));
  await sim.run(clock.sleep(500));
  later.abort("enough");
  expect((await sim.run(sent)).at(-1)).toMatchObject({ kind: "done" });
});
