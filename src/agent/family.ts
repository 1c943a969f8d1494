// The agents of one run: who delegated what to whom, how many work at once, and that each result reaches its parent exactly once.
// Invariant: a child ends with its parent, none begins after an abort, and all are over before `close` returns.

import type { AgentId } from "../base/ids.ts";
import { cleanLine } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import type { Message } from "../model/message.ts";
import { capBytes } from "./cap-bytes.ts";
import { Child, type ChildResult } from "./child.ts";
import type { ChildMaker } from "./child-home.ts";
import { answerOf, answerText } from "./child-outcome.ts";
import { type RunChild, runChild } from "./child-run.ts";
import type { DelegationLimits } from "./delegation-limits.ts";
import type { ChildEntry, DelegateRequest, DelegationLog, RefusedRequest } from "./delegation-record.ts";
import { Deliveries, hadText, untoldChildren } from "./deliveries.ts";
import type { FamilyEvent } from "./family-event.ts";
import { FirstAnswers } from "./first-answers.ts";
import type { Notices } from "./notices.ts";
import type { Request } from "./request.ts";
import { Requests } from "./requests.ts";
import { heardIn } from "./session-history.ts";
import { earlierFor, earlierForCopy, earlierForMerge, hiddenFrom } from "./sibling-order.ts";
import { Slots } from "./slots.ts";
import type { AgentPorts } from "./spec.ts";
import type { AnnouncedCall, ToolAnswer, ToolContext } from "./tool.ts";

const taskLineCharsMax = 200;

export interface FamilyOptions {
  /** Whom a person started. */
  readonly top: AgentId;
  readonly clock: Clock;
  readonly limits: DelegationLimits;
  readonly maker: ChildMaker;
  readonly log: DelegationLog;
  /** Asked before and told after each request of a child. */
  readonly requestsOf: (child: AgentId, model: string) => Pick<AgentPorts, "beforeRequest" | "afterRequest">;
  /** Ends every child. */
  readonly signal: AbortSignal;
  /** Must not throw. */
  readonly onEvent: (event: FamilyEvent) => void;
  /** Of the run before a crash. */
  readonly before: FamilyBefore;
}

export interface FamilyBefore {
  readonly entries: readonly ChildEntry[];
  /** Of its delegations, refused ones included. */
  readonly lastSeq: number;
  /** The history of the agent at the top. */
  readonly conversation: readonly Message[];
}

export class Family {
  private readonly options: FamilyOptions;
  private readonly children = new Map<AgentId, Child>();
  private readonly requests: Requests;
  /** Begun before a crash. */
  private readonly begunBefore: readonly Request[];
  private readonly deliveries: Deliveries;
  /** One queue a level: a parent that waits for its children never waits for its own place. */
  private readonly slots: Slots[] = [];
  private readonly firstAnswers = new FirstAnswers();
  private running = 0;
  private readonly late: Promise<void>[] = [];

  constructor(options: FamilyOptions) {
    this.options = options;
    const { clock, limits, maker, log, before } = options;
    this.requests = new Requests({ clock, limits, maker, log, before });
    this.begunBefore = this.requests.begun;
    this.deliveries = new Deliveries(log);
    this.adoptFor(options.top, before.conversation);
  }

  /** Before any call of the answer runs, in request order: its number, its place and whether it may be. */
  async announce(request: DelegateRequest, call: AnnouncedCall): Promise<void> {
    await this.requests.reserve(request, call);
  }

  /** The announced call is over. */
  settled(call: AnnouncedCall): void {
    this.requests.settle(call);
  }

  /** Runs a child for the call, or begins one in the background; one that a crash interrupted goes on. */
  async delegate(request: DelegateRequest, call: ToolContext): Promise<ToolAnswer> {
    const reserved = await this.requests.reserve(request, call);
    if (reserved.kind === "refused") return this.refuse(reserved.refused);
    const granted = reserved.request;
    const child = this.children.get(granted.asked.child) ?? this.start(granted, call.conversation);
    if (granted.asked.request.background) return { kind: "text", text: backgroundText(child.id) };
    child.endWith(call.signal);
    const { outcome, text } = await child.brought.promise;
    this.deliveries.give(child);
    return answerOf(outcome, text);
  }

  /** The results of children in the background, as they come or once they are all there. */
  async wait(ids: readonly AgentId[], call: ToolContext): Promise<ToolAnswer> {
    const own = this.childrenOf(call.agent).filter((child) => child.asked.request.background);
    const had = ids.filter((id) => this.hadBefore(id, call.agent));
    const unknown = ids.filter((id) => !had.includes(id) && !own.some((child) => child.id === id));
    if (unknown.length > 0) {
      const names = own.map(({ id }) => id).join(", ") || "none";
      return {
        kind: "error",
        text: `no child of yours in the background is called ${unknown.join(", ")}; there are: ${names}`,
      };
    }
    const open = own.filter((child) => child.delivery === "none");
    const wanted = ids.length === 0 ? open : own.filter((child) => ids.includes(child.id));
    if (wanted.length === 0 && had.length === 0)
      return { kind: "error", text: "you have no children in the background whose results are to come" };
    const undelivered = wanted.filter((child) => child.delivery === "none");
    if (!(await Deliveries.allOver(undelivered, call.signal)))
      return { kind: "cancelled", text: "cancelled: the children's results come when they are done" };
    const texts = wanted.map((child) => this.deliveries.textOf(child, undelivered));
    return { kind: "text", text: [...had.map(hadText), ...texts].join("\n\n") };
  }

  noticesFor(agent: AgentId): Notices {
    const background = () => this.childrenOf(agent).filter((child) => child.asked.request.background);
    return this.deliveries.noticesFor(background);
  }

  /** Cancels one child; its parent and its siblings go on. False where no such child is at work. */
  cancel(id: AgentId): boolean {
    const child = this.children.get(id);
    if (child === undefined || child.result !== null) return false;
    child.aborting.abort();
    return true;
  }

  /** Ends what still runs; answers when nothing does. */
  async close(): Promise<void> {
    for (const child of this.children.values()) child.aborting.abort();
    await Promise.all([...this.children.values()].map((child) => child.brought.promise));
    await Promise.all(this.late);
    await this.deliveries.flush();
  }

  private async refuse({ reason, parent, seq, callId, queuedAtMs }: RefusedRequest): Promise<ToolAnswer> {
    const none = { concurrent: "unavailable", startedAtMs: "unavailable", child: null, outcome: "refused" } as const;
    const endedAtMs = this.options.clock.now();
    await this.options.log.ended({ ...none, seq, callId, parent, queuedAtMs, endedAtMs });
    return { kind: "error", text: `not delegated: ${reason}` };
  }

  private childrenOf(parent: AgentId): readonly Child[] {
    return [...this.children.values()].filter((child) => child.asked.parent === parent);
  }

  /** A child of before a crash whose result is in its parent's transcript. */
  private hadBefore(id: AgentId, parent: AgentId): boolean {
    const asked = this.requests.get(id)?.asked;
    return asked?.parent === parent && asked.request.background && !this.children.has(id) && this.begunAs(id);
  }

  private begunAs(id: AgentId): boolean {
    return this.begunBefore.some(({ asked }) => asked.child === id);
  }

  /** Children in the background go on with their parent, whose history it had before the crash. */
  private adoptFor(parent: AgentId, conversation: readonly Message[]): number {
    const untold = untoldChildren(this.options.before.entries, parent, conversation);
    for (const child of untold) {
      const request = this.requests.get(child);
      if (request === null) continue;
      // What its parent knew then is not known any more to the last word.
      this.start(request, conversation, { context: "no-tools" });
    }
    return untold.length;
  }

  /** `context` stands in for all of its parent's conversation. */
  private start(
    request: Request,
    conversation: readonly Message[],
    { context = "full" }: { readonly context?: "full" | "no-tools" } = {},
  ): Child {
    const { signal, onEvent } = this.options;
    const { child: id, parent, callId } = request.asked;
    const child = new Child(request);
    const resumed = this.begunAs(id);
    this.children.set(id, child);
    child.endWith(this.children.get(parent)?.aborting.signal ?? signal);
    request.run(child.brought.promise.then(() => this.allOver(id)));
    const model = this.modelOf(child);
    const task = cleanLine(request.asked.request.task, taskLineCharsMax);
    const { background } = request.asked.request;
    onEvent({ kind: "child-queued", child: id, parent, callId, task, model, background });
    void this.run(child, { conversation, resumed, context });
    return child;
  }

  private modelOf({ asked }: Child): string {
    return asked.request.model ?? this.options.maker.models[0] ?? "";
  }

  /** Also those that work for it. */
  private async allOver(parent: AgentId): Promise<void> {
    const own = this.childrenOf(parent);
    await Promise.all(own.map((child) => child.brought.promise.then(() => this.allOver(child.id))));
  }

  private async run(child: Child, { conversation, resumed, context }: RunOptions): Promise<void> {
    const { clock, limits, maker, log, requestsOf, onEvent } = this.options;
    const { id } = child;
    const { parent, request } = child.asked;
    const asked = request.context === "full" ? { ...child.asked, request: { ...request, context } } : child.asked;
    const { depth, writes } = child.request.place;
    const model = this.modelOf(child);
    let begun: { readonly atMs: number; readonly concurrent: number } | null = null;
    let endedAtMs: number | null = null;
    if (!resumed) await log.note([{ kind: "begun", child: id }]);
    const hidden = hiddenFrom(this.requests, id);
    const above = this.requests.lineOf(parent);
    const ran = await runChild({
      plan: { asked, model, writes, hidden, above, resumed, signal: child.aborting.signal },
      conversation,
      depth,
      maker,
      clock,
      limits,
      slots: this.slotsAt(depth),
      firstAnswers: this.firstAnswers,
      ports: { ...requestsOf(id, model), notices: this.noticesFor(id) },
      onStart: () => {
        begun = { atMs: clock.now(), concurrent: ++this.running };
        onEvent({ kind: "child-started", child: id, parent, ...begun });
      },
      onSession: (session) => this.adoptFor(id, heardIn(session)) > 0,
      onStop: () => {
        this.running -= 1;
        endedAtMs = clock.now();
        for (const own of this.childrenOf(id)) own.aborting.abort();
      },
      onLate: (work) => void this.late.push(work),
      onEvent: (event) => onEvent({ kind: "child-event", child: id, parent, event }),
      order: {
        beforeCall: (claim) => allOf(earlierFor(this.requests, id, claim)),
        beforeCopy: () => allOf(earlierForCopy(this.requests, child.request)),
        beforeMerge: async () => allOf(earlierForMerge(this.requests, child.request)),
      },
    });
    await this.over(child, ran, { begun, endedAtMs: endedAtMs ?? clock.now() });
  }

  private async over(child: Child, { end, totals, worked }: RunChild, { begun, endedAtMs }: Times): Promise<void> {
    const { limits, maker, log, onEvent } = this.options;
    const { seq, callId, parent, queuedAtMs } = child.asked;
    const save = (text: string) => maker.spillOf(parent)({ agent: parent, callId, text });
    const text = await capBytes(answerText(child.id, end), limits.resultBytesMax, save);
    const { outcome, detail } = end;
    const ids = { seq, callId, child: child.id, parent };
    const startedAtMs = begun?.atMs ?? "unavailable";
    await log.ended({
      ...ids,
      concurrent: begun?.concurrent ?? "unavailable",
      queuedAtMs,
      startedAtMs,
      endedAtMs,
      outcome,
    });
    const durationMs = begun === null || !worked ? "unavailable" : endedAtMs - begun.atMs;
    onEvent({ kind: "child-ended", child: child.id, parent, outcome, detail, totals, durationMs });
    child.end({ outcome, text } satisfies ChildResult);
  }

  private slotsAt(depth: number): Slots {
    const slots = this.slots[depth] ?? new Slots(this.options.limits.childrenAtOnceMax);
    this.slots[depth] = slots;
    return slots;
  }
}

interface RunOptions {
  readonly conversation: readonly Message[];
  readonly resumed: boolean;
  readonly context: "full" | "no-tools";
}

interface Times {
  readonly begun: { readonly atMs: number; readonly concurrent: number } | null;
  readonly endedAtMs: number;
}

/** Null where there is nobody to wait for. */
function allOf(requests: readonly Request[]): Promise<unknown> | null {
  return requests.length === 0 ? null : Promise.all(requests.map(({ over }) => over));
}

function backgroundText(child: AgentId): string {
  return `child ${child} was started in the background. Its result comes as a message when it is done; wait_task waits for it.`;
}
