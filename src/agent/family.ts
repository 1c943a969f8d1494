// The agents of one run: who delegated what to whom, how many work at once, and that each result reaches its parent exactly once.
// Invariant: a child ends with its parent, none begins after an abort, and all are over before `close` returns.

import { type AgentId, asAgentId } from "../base/ids.ts";
import { cleanLine } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import type { Message } from "../model/message.ts";
import { capBytes } from "./cap-bytes.ts";
import { Child, type ChildResult } from "./child.ts";
import { type ChildMaker, requestRefusal } from "./child-home.ts";
import { answerOf, answerText, endsWithResultOf } from "./child-outcome.ts";
import { type RunChild, runChild } from "./child-run.ts";
import type { DelegationLimits } from "./delegation-limits.ts";
import type { ChildEntry, DelegateRequest, DelegationLog, StartedChild } from "./delegation-record.ts";
import { Deliveries } from "./deliveries.ts";
import type { FamilyEvent } from "./family-event.ts";
import { FirstAnswers } from "./first-answers.ts";
import type { Notices } from "./notices.ts";
import { Slots } from "./slots.ts";
import type { AgentPorts } from "./spec.ts";
import type { ToolAnswer, ToolContext } from "./tool.ts";
import { addTotals, NO_TOTALS, type Totals } from "./totals.ts";
import { parseScope, pathBeyond, sharedPath, type WriteScope } from "./write-scope.ts";

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

/** Where an agent stands in the family. */
interface Place {
  readonly depth: number;
  readonly writes: WriteScope;
  readonly tree: AgentId;
}

export class Family {
  private readonly options: FamilyOptions;
  private readonly children = new Map<AgentId, Child>();
  private readonly startedBefore: readonly StartedChild[];
  private readonly deliveries: Deliveries;
  /** One queue a level: a parent that waits for its children never waits for its own place. */
  private readonly slots: Slots[] = [];
  private readonly firstAnswers = new FirstAnswers();
  private running = 0;
  private lastSeq: number;
  private lastNumber: number;
  private sums: Totals = NO_TOTALS;
  private readonly late: Promise<void>[] = [];

  constructor(options: FamilyOptions) {
    this.options = options;
    const { entries } = options.before;
    this.startedBefore = entries.flatMap((entry) => (entry.kind === "started" ? [entry.started] : []));
    const told = new Set(entries.flatMap((entry) => (entry.kind === "told" ? [entry.child] : [])));
    this.deliveries = new Deliveries(options.log, told);
    this.lastSeq = Math.max(options.before.lastSeq, ...this.startedBefore.map(({ seq }) => seq));
    this.lastNumber = Math.max(0, ...this.startedBefore.map(({ child }) => Number(child.slice(1))));
    this.adoptFor(options.top, options.before.conversation);
  }

  /** Of all children that are over. */
  get totals(): Totals {
    return this.sums;
  }

  /** Runs a child for the call, or begins one in the background. */
  async delegate(request: DelegateRequest, call: ToolContext): Promise<ToolAnswer> {
    const known = this.childOf(call) ?? (call.resumed ? this.resume(call) : null);
    const child = known ?? (await this.begin(request, call));
    if (typeof child === "string") return { kind: "error", text: `not delegated: ${child}` };
    if (child.started.request.background) return { kind: "text", text: backgroundText(child.id) };
    child.endWith(call.signal);
    const { outcome, text } = await child.brought.promise;
    this.deliveries.give(child);
    return answerOf(outcome, text);
  }

  /** The results of children in the background, as they come or once they are all there. */
  async wait(ids: readonly AgentId[], call: ToolContext): Promise<ToolAnswer> {
    const own = this.childrenOf(call.agent).filter((child) => child.started.request.background);
    const unknown = ids.filter((id) => !own.some((child) => child.id === id));
    if (unknown.length > 0) {
      const names = own.map(({ id }) => id).join(", ") || "none";
      return {
        kind: "error",
        text: `no child of yours in the background is called ${unknown.join(", ")}; there are: ${names}`,
      };
    }
    const open = own.filter((child) => child.delivery === "none");
    const wanted = ids.length === 0 ? open : own.filter((child) => ids.includes(child.id));
    if (wanted.length === 0)
      return { kind: "error", text: "you have no children in the background whose results are to come" };
    const undelivered = wanted.filter((child) => child.delivery === "none");
    if (!(await Deliveries.allOver(undelivered, call.signal)))
      return { kind: "cancelled", text: "cancelled: the children's results come when they are done" };
    const texts = wanted.map((child) => this.deliveries.textOf(child, undelivered));
    return { kind: "text", text: texts.join("\n\n") };
  }

  noticesFor(agent: AgentId): Notices {
    const background = () => this.childrenOf(agent).filter((child) => child.started.request.background);
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

  private async begin(request: DelegateRequest, call: ToolContext): Promise<Child | string> {
    const queuedAtMs = this.options.clock.now();
    const seq = ++this.lastSeq;
    const granted = this.grant(request, call.agent);
    if (typeof granted === "string") {
      const refused = {
        seq,
        callId: call.callId,
        child: null,
        parent: call.agent,
        queuedAtMs,
        outcome: "refused",
      } as const;
      await this.options.log.ended({
        ...refused,
        concurrent: "unavailable",
        startedAtMs: "unavailable",
        endedAtMs: queuedAtMs,
      });
      return granted;
    }
    const child = asAgentId(`a${++this.lastNumber}`);
    const { agent: parent, callId, turn, index } = call;
    const started = { child, parent, seq, callId, turn, index, queuedAtMs, request };
    return this.start(started, call.conversation, false);
  }

  /** Where the child will stand, or why it may not be. */
  private grant(request: DelegateRequest, parent: AgentId): WriteScope | string {
    const { limits, maker } = this.options;
    const above = this.placeOf(parent);
    if (above.depth >= limits.depthMax) {
      const levels =
        limits.depthMax === 1
          ? "a child cannot delegate"
          : `${limits.depthMax} levels of children are all there may be`;
      return `${levels}: do the work yourself`;
    }
    const count = this.children.size + this.startedBefore.filter(({ child }) => !this.children.has(child)).length;
    if (count >= limits.childrenMax) return `this run has had its ${limits.childrenMax} children: do the rest yourself`;
    const refusal = requestRefusal(request, maker.models);
    if (refusal !== null) return refusal;
    if (request.isolation === "workspace")
      return above.writes.kind === "all"
        ? { kind: "all" }
        : "you may not change the whole tree, so no child of yours may have a workspace";
    const scope = parseScope(request.writeScope);
    if (!scope.ok) return scope.error;
    const beyond = pathBeyond(scope.value, above.writes);
    if (beyond !== null) return `write_scope: you may not change ${beyond} yourself`;
    return this.meeting(scope.value, parent, above.tree) ?? scope.value;
  }

  /** Two that write into one tree have nothing in common, but for those above, who give what is theirs. */
  private meeting(scope: WriteScope, parent: AgentId, tree: AgentId): string | null {
    const above = this.above(parent);
    for (const other of this.children.values()) {
      if (other.result !== null || other.tree !== tree || above.includes(other.id)) continue;
      const path = sharedPath(scope, other.writes);
      if (path !== null)
        return `write_scope: ${path} is also in the scope of ${other.id}, which is at work; wait for it, divide the files, or use isolation workspace`;
    }
    return null;
  }

  private placeOf(agent: AgentId): Place {
    const child = this.children.get(agent);
    return child ?? { depth: 0, writes: { kind: "all" }, tree: agent };
  }

  private childrenOf(parent: AgentId): readonly Child[] {
    return [...this.children.values()].filter((child) => child.started.parent === parent);
  }

  private childOf({ agent, turn, index }: ToolContext): Child | null {
    const own = this.childrenOf(agent);
    return own.find(({ started }) => started.turn === turn && started.index === index) ?? null;
  }

  /** The child that the call had before a crash. */
  private resume({ agent, turn, index, conversation }: ToolContext): Child | null {
    const started = this.startedBefore.find((one) => one.parent === agent && one.turn === turn && one.index === index);
    return started === undefined ? null : this.start(started, conversation, true);
  }

  /** Children in the background go on with their parent, whose history it had before the crash. */
  private adoptFor(parent: AgentId, conversation: readonly Message[]): void {
    for (const started of this.startedBefore) {
      const { child, request } = started;
      if (started.parent !== parent || !request.background) continue;
      if (this.deliveries.wasTold(child) || endsWithResultOf(child, conversation)) continue;
      // What its parent knew then is not known any more to the last word.
      const context = request.context === "full" ? "no-tools" : request.context;
      this.start({ ...started, request: { ...request, context } }, conversation, true);
    }
  }

  private start(started: StartedChild, conversation: readonly Message[], resumed: boolean): Child {
    const { signal, maker, onEvent } = this.options;
    const { parent, request } = started;
    const above = this.placeOf(parent);
    const isApart = request.isolation === "workspace";
    const scope = parseScope(request.writeScope);
    const writes: WriteScope = isApart ? { kind: "all" } : scope.ok ? scope.value : { kind: "none" };
    const tree = isApart ? started.child : above.tree;
    const child = new Child(started, { depth: above.depth + 1, writes, tree });
    this.children.set(child.id, child);
    child.endWith(this.children.get(parent)?.aborting.signal ?? signal);
    const model = request.model ?? maker.models[0] ?? "";
    const task = cleanLine(request.task, taskLineCharsMax);
    const { callId } = started;
    const { background } = request;
    onEvent({ kind: "child-queued", child: child.id, parent, callId, task, model, background });
    void this.run(child, { conversation, resumed, model });
    return child;
  }

  private async run(
    child: Child,
    {
      conversation,
      resumed,
      model,
    }: { readonly conversation: readonly Message[]; readonly resumed: boolean; readonly model: string },
  ): Promise<void> {
    const { clock, limits, maker, log, requestsOf, onEvent } = this.options;
    const { started, depth, writes } = child;
    const { parent } = started;
    const siblings = this.earlierSiblings(child);
    let begun: { readonly atMs: number; readonly concurrent: number } | null = null;
    let endedAtMs: number | null = null;
    if (!resumed) await log.note([{ kind: "started", started }]);
    const ran = await runChild({
      plan: { started, model, writes, above: this.above(parent), resumed, signal: child.aborting.signal },
      conversation,
      depth,
      maker,
      clock,
      limits,
      slots: this.slotsAt(depth),
      firstAnswers: this.firstAnswers,
      ports: { ...requestsOf(child.id, model), notices: this.noticesFor(child.id) },
      onStart: () => {
        begun = { atMs: clock.now(), concurrent: ++this.running };
        onEvent({ kind: "child-started", child: child.id, ...begun });
      },
      onSession: ({ messages }) => this.adoptFor(child.id, messages),
      onStop: () => {
        this.running -= 1;
        endedAtMs = clock.now();
        for (const own of this.childrenOf(child.id)) own.aborting.abort();
      },
      onLate: (work) => void this.late.push(work),
      onEvent: (event) => onEvent({ kind: "child-event", child: child.id, parent, event }),
      turnToBring: async () => void (await Promise.all(siblings.map((one) => one.brought.promise))),
    });
    await this.over(child, ran, { begun, endedAtMs: endedAtMs ?? clock.now() });
  }

  private async over(child: Child, { end, totals }: RunChild, { begun, endedAtMs }: Times): Promise<void> {
    const { limits, maker, log, onEvent } = this.options;
    const { started } = child;
    const { seq, callId, parent, queuedAtMs } = started;
    const save = (text: string) => maker.spillOf(parent)({ agent: parent, callId, text });
    const text = await capBytes(answerText(child.id, end), limits.resultBytesMax, save);
    this.sums = addTotals(this.sums, totals);
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
    const durationMs = begun === null ? 0 : endedAtMs - begun.atMs;
    onEvent({ kind: "child-ended", child: child.id, outcome, detail, totals, durationMs });
    child.end({ outcome, text } satisfies ChildResult);
  }

  /** Of the same answer and not in the background: their changes are brought before this one's. */
  private earlierSiblings({ started }: Child): readonly Child[] {
    if (started.request.background) return [];
    return this.childrenOf(started.parent).filter(
      ({ started: other }) => other.turn === started.turn && other.index < started.index && !other.request.background,
    );
  }

  private above(agent: AgentId): readonly AgentId[] {
    const parent = this.children.get(agent)?.started.parent;
    return parent === undefined ? [agent] : [...this.above(parent), agent];
  }

  private slotsAt(depth: number): Slots {
    const slots = this.slots[depth] ?? new Slots(this.options.limits.childrenAtOnceMax);
    this.slots[depth] = slots;
    return slots;
  }
}

interface Times {
  readonly begun: { readonly atMs: number; readonly concurrent: number } | null;
  readonly endedAtMs: number;
}

function backgroundText(child: AgentId): string {
  return `child ${child} was started in the background. Its result comes as a message when it is done; wait_task waits for it.`;
}
