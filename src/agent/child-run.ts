// One child from its place in the queue to its end: waits for a place, works under its limits, and says what became of it. Whatever
// happens to it happens to it alone: expected failures and bugs of a child are its outcome, never its parent's.

import { orAborted } from "../base/abort.ts";
import { assert } from "../base/assert.ts";
import { err, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { Message } from "../model/message.ts";
import { ownMessages } from "./child-context.ts";
import type { ChildHome, ChildMaker, ChildPlan } from "./child-home.ts";
import { type ChildEnd, endOf } from "./child-outcome.ts";
import { childSpec } from "./child-spec.ts";
import type { Claim } from "./claim.ts";
import type { DelegationLimits } from "./delegation-limits.ts";
import type { FirstAnswers, Leader } from "./first-answers.ts";
import { runAgent } from "./loop.ts";
import type { LoadedSession } from "./session-load.ts";
import { locksInOrder } from "./sibling-order.ts";
import { type Slots, WorkPlace } from "./slots.ts";
import type { AgentEvent, AgentPorts, AgentResult, AgentSpec } from "./spec.ts";
import { addTotals, NO_TOTALS, type Totals, totalsOf } from "./totals.ts";
import { treeLocks } from "./tree-locks.ts";

export interface ChildRunSetup {
  readonly plan: ChildPlan;
  /** Of its parent, up to and with the answer that makes the call. */
  readonly conversation: readonly Message[];
  readonly depth: number;
  readonly maker: ChildMaker;
  readonly clock: Clock;
  readonly limits: DelegationLimits;
  readonly slots: Slots;
  readonly firstAnswers: FirstAnswers;
  readonly ports: Pick<AgentPorts, "beforeRequest" | "afterRequest" | "notices">;
  /** It has its place and begins. */
  readonly onStart: () => void;
  /** It goes on after a crash; answers whether children of its own do too. */
  readonly onSession: (session: LoadedSession) => boolean;
  /** It is over and its place is free; its changes have not been brought to its parent. */
  readonly onStop: () => void;
  /** What is still being put away when the child is over. */
  readonly onLate: (work: Promise<void>) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly order: ChildOrder;
}

/** For whom a child waits, among those asked for before it in the same answer. */
export interface ChildOrder {
  /** Null for nobody. */
  beforeCall(claim: Claim): Promise<unknown> | null;
  beforeCopy(): Promise<unknown> | null;
  beforeMerge(): Promise<unknown>;
}

export interface RunChild {
  readonly end: ChildEnd;
  readonly totals: Totals;
  /** False for one that was over before this process, or never started. */
  readonly worked: boolean;
}

/** Never rejects. */
export async function runChild(setup: ChildRunSetup): Promise<RunChild> {
  try {
    return await run(setup);
  } catch (thrown) {
    const detail = `internal error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { end: { outcome: "failed", detail, said: "", changes: "" }, totals: NO_TOTALS, worked: true };
  }
}

const neverStarted: RunChild = {
  end: { outcome: "cancelled", detail: "it was never started", said: "", changes: "" },
  totals: NO_TOTALS,
  worked: false,
};

async function run(setup: ChildRunSetup): Promise<RunChild> {
  const { plan, limits, slots, firstAnswers } = setup;
  const place = await WorkPlace.take(slots, plan.signal);
  if (place === null) return neverStarted;
  let leader: Leader | null = null;
  const worked = await (async () => {
    try {
      if (limits.start === "after-first-answer") leader = await firstAnswers.turn(plan.model, plan.signal);
      return plan.signal.aborted ? null : await work(setup, place, leader);
    } finally {
      leader?.done(false);
      place.leave();
    }
  })();
  return worked === null ? neverStarted : bring(setup, worked);
}

interface Worked {
  readonly home: ChildHome | null;
  readonly end: Omit<ChildEnd, "changes">;
  readonly totals: Totals;
  readonly worked: boolean;
}

async function work(setup: ChildRunSetup, place: WorkPlace, leader: Leader | null): Promise<Worked> {
  const { plan, onStart, onStop } = setup;
  onStart();
  try {
    const aborting = timeLimited(setup);
    try {
      if (plan.asked.request.isolation === "workspace") await place.waitFor(setup.order.beforeCopy(), aborting.signal);
      const home = await made(setup, aborting.signal);
      if (!home.ok)
        return {
          home: null,
          end: failedStart(home.error, plan.signal, aborting.timedOut()),
          totals: NO_TOTALS,
          worked: true,
        };
      const hasChildren = home.value.session !== null && setup.onSession(home.value.session);
      // What it used before a crash is its own too.
      const before = totalsOf(home.value.session?.requests ?? []);
      const spec = childSpec({ ...setup, hasChildren }, home.value);
      if (spec.kind === "over") return { home: home.value, end: spec.end, totals: before, worked: false };
      const result = await talk(setup, { home: home.value, spec: spec.spec, place, leader }, aborting.signal);
      const end = endOf(result, ownMessages(plan.asked.child, result.messages), aborting.timedOut());
      return { home: home.value, end, totals: addTotals(before, result.totals), worked: true };
    } finally {
      aborting.end();
    }
  } finally {
    onStop();
  }
}

/** A home that is made too late is closed again. */
async function made({ maker, plan, onLate }: ChildRunSetup, signal: AbortSignal): Promise<Result<ChildHome, string>> {
  const home = maker.make({ ...plan, signal });
  const first = await orAborted(home, signal);
  if (first.kind === "value") return first.value;
  onLate(
    home.then(async (late) => {
      if (!late.ok) return;
      await late.value.finish?.("cancelled");
      await late.value.close();
    }),
  );
  return err("it was aborted before it had its tree");
}

function failedStart(detail: string, parent: AbortSignal, timedOut: string | null): Worked["end"] {
  if (timedOut !== null) return { outcome: "limit", detail: timedOut, said: "" };
  return { outcome: parent.aborted ? "cancelled" : "failed", detail, said: "" };
}

interface Talk {
  readonly home: ChildHome;
  readonly spec: AgentSpec;
  readonly place: WorkPlace;
  readonly leader: Leader | null;
}

function talk(setup: ChildRunSetup, { home, spec, place, leader }: Talk, signal: AbortSignal): Promise<AgentResult> {
  const { clock, ports, order } = setup;
  const locks = locksInOrder(home.ports.locks ?? treeLocks(), (claim, own) =>
    place.waitFor(order.beforeCall(claim), own),
  );
  const onEvent = (event: AgentEvent) => {
    if (event.kind === "request-ended" && event.report.outcome !== "error") leader?.done(true);
    setup.onEvent(event);
  };
  return runAgent(spec, { ...ports, ...home.ports, locks, clock, record: home.record, signal, onEvent });
}

interface Aborting {
  readonly signal: AbortSignal;
  /** In words; null while it has not. */
  timedOut(): string | null;
  end(): void;
}

function timeLimited({ plan, clock, limits }: ChildRunSetup): Aborting {
  const own = new AbortController();
  let timedOut: string | null = null;
  const abort = () => own.abort();
  assert(!plan.signal.aborted, "a child that was aborted is not started");
  plan.signal.addEventListener("abort", abort, { once: true });
  const timer = clock.after(limits.childMsMax, () => {
    timedOut = `time_limit: ${limits.childMsMax / 1_000} s`;
    abort();
  });
  return {
    signal: own.signal,
    timedOut: () => timedOut,
    end: () => {
      timer.cancel();
      plan.signal.removeEventListener("abort", abort);
    },
  };
}

async function bring(setup: ChildRunSetup, { home, end, ...rest }: Worked): Promise<RunChild> {
  if (home === null) return { end: { ...end, changes: "" }, ...rest };
  const { finish } = home;
  if (finish !== null) await setup.order.beforeMerge();
  const finished = (await finish?.(end.outcome)) ?? { kind: "brought", text: "" };
  await home.close();
  const failed = finished.kind === "failed" && end.outcome === "done";
  const whole = failed ? { ...end, outcome: "failed" as const, detail: "its changes could not be brought back" } : end;
  return { end: { ...whole, changes: finished.text }, ...rest };
}
