// What was asked of a family: each delegation of an answer gets its number, its child's id and its place, or its refusal, in the order of
// the calls and before any of them runs. Invariant: none of that depends on how the calls are scheduled, nor on a crash in between.

import { type AgentId, asAgentId } from "../base/ids.ts";
import type { Clock } from "../host/clock.ts";
import { type ChildMaker, requestRefusal } from "./child-home.ts";
import type { DelegationLimits } from "./delegation-limits.ts";
import type { AskedChild, ChildEntry, DelegateRequest, DelegationLog, RefusedRequest } from "./delegation-record.ts";
import { type Place, Request } from "./request.ts";
import type { AnnouncedCall } from "./tool.ts";
import { parseScope, pathBeyond, sharedPath, type WriteScope } from "./write-scope.ts";

export type Reserved =
  | { readonly kind: "child"; readonly request: Request }
  | { readonly kind: "refused"; readonly refused: RefusedRequest };

export interface RequestsOptions {
  readonly clock: Clock;
  readonly limits: DelegationLimits;
  readonly maker: ChildMaker;
  readonly log: DelegationLog;
  /** Of the run before a crash. */
  readonly before: { readonly entries: readonly ChildEntry[]; readonly lastSeq: number };
}

export class Requests {
  private readonly options: RequestsOptions;
  private readonly byCall = new Map<string, Reserved>();
  private readonly byChild = new Map<AgentId, Request>();
  private lastSeq: number;
  private lastNumber = 0;

  constructor(options: RequestsOptions) {
    this.options = options;
    const { entries, lastSeq } = options.before;
    this.lastSeq = lastSeq;
    for (const entry of entries) {
      if (entry.kind === "asked") this.keep(this.requestOf(entry.asked));
      if (entry.kind === "begun") this.byChild.get(entry.child)?.begin();
      if (entry.kind === "refused") this.refuse(entry.refused);
    }
  }

  /** Those that had begun before this process. */
  get begun(): readonly Request[] {
    return [...this.byChild.values()].filter((request) => request.begun);
  }

  get(child: AgentId): Request | null {
    return this.byChild.get(child) ?? null;
  }

  of({ agent, turn, index }: AnnouncedCall): Reserved | null {
    return this.byCall.get(keyOf(agent, turn, index)) ?? null;
  }

  /** The same for the same call, also after a crash. */
  async reserve(request: DelegateRequest, call: AnnouncedCall): Promise<Reserved> {
    const known = this.of(call);
    if (known === null) return this.newOne(request, call);
    if (known.kind === "child" && !known.request.announced) {
      known.request.announce();
      const resources = await this.options.maker.scopeIn(call.agent, request.writeScope);
      if (resources.ok) known.request.resources = resources.value;
    }
    return known;
  }

  /** The call is over, and begins no child any more. */
  settle(call: AnnouncedCall): void {
    const known = this.of(call);
    if (known?.kind === "child") known.request.settle();
  }

  /** The other foreground children of its answer, in the order of the calls. */
  siblingsOf({ asked }: Request): readonly Request[] {
    return [...this.byChild.values()]
      .filter((other) => {
        const { parent, turn, child, request } = other.asked;
        return parent === asked.parent && turn === asked.turn && child !== asked.child && !request.background;
      })
      .sort((a, b) => a.asked.index - b.asked.index);
  }

  placeOf(agent: AgentId): Place {
    return this.byChild.get(agent)?.place ?? { depth: 0, writes: { kind: "all" }, tree: agent };
  }

  /** Itself last. */
  lineOf(agent: AgentId): readonly AgentId[] {
    const parent = this.byChild.get(agent)?.asked.parent;
    return parent === undefined ? [agent] : [...this.lineOf(parent), agent];
  }

  private async newOne(request: DelegateRequest, call: AnnouncedCall): Promise<Reserved> {
    const { clock, log, maker } = this.options;
    const seq = ++this.lastSeq;
    const queuedAtMs = clock.now();
    const { agent: parent, callId, turn, index } = call;
    const at = { parent, seq, callId, turn, index, queuedAtMs };
    this.forgetUnbegun(parent, turn);
    const scope = await maker.scopeIn(parent, request.writeScope);
    const reason = this.refusal(request, parent) ?? (scope.ok ? null : scope.error);
    if (reason !== null) {
      const refused = { ...at, reason };
      await log.note([{ kind: "refused", refused }]);
      return this.refuse(refused);
    }
    const made = this.requestOf({ ...at, child: asAgentId(`a${this.lastNumber + 1}`), request });
    made.resources = scope.ok ? scope.value : "tree";
    made.announce();
    this.keep(made);
    await log.note([{ kind: "asked", asked: made.asked }]);
    return { kind: "child", request: made };
  }

  /** Calls of earlier answers are over: what they did not begin (a person said no) they never will. */
  private forgetUnbegun(parent: AgentId, turn: number): void {
    for (const [child, { asked, begun }] of this.byChild)
      if (asked.parent === parent && asked.turn !== turn && !begun) this.byChild.delete(child);
  }

  /** Why it may not be; null where it may. */
  private refusal(request: DelegateRequest, parent: AgentId): string | null {
    const { limits, maker } = this.options;
    const above = this.placeOf(parent);
    if (above.depth >= limits.depthMax) {
      const levels =
        limits.depthMax === 1
          ? "a child cannot delegate"
          : `${limits.depthMax} levels of children are all there may be`;
      return `${levels}: do the work yourself`;
    }
    if (this.byChild.size >= limits.childrenMax)
      return `this run has had its ${limits.childrenMax} children: do the rest yourself`;
    const wrong = requestRefusal(request, maker.models);
    if (wrong !== null) return wrong;
    if (request.isolation === "workspace")
      return above.writes.kind === "all"
        ? null
        : "you may not change the whole tree, so no child of yours may have a workspace";
    const scope = parseScope(request.writeScope);
    if (!scope.ok) return scope.error;
    const beyond = pathBeyond(scope.value, above.writes);
    if (beyond !== null) return `write_scope: you may not change ${beyond} yourself`;
    return this.meeting(scope.value, parent, above.tree);
  }

  /** Two that write into one tree have nothing in common, but for those above, who give what is theirs. */
  private meeting(scope: WriteScope, parent: AgentId, tree: AgentId): string | null {
    const above = this.lineOf(parent);
    for (const other of this.byChild.values()) {
      const { asked, place, open } = other;
      if (!open || place.tree !== tree || above.includes(asked.child)) continue;
      const path = sharedPath(scope, place.writes);
      if (path !== null)
        return `write_scope: ${path} is also in the scope of ${asked.child}, which is not over; delegate this after it, divide the files, or use isolation workspace`;
    }
    return null;
  }

  private requestOf(asked: AskedChild): Request {
    const above = this.placeOf(asked.parent);
    const isApart = asked.request.isolation === "workspace";
    const scope = parseScope(asked.request.writeScope);
    const writes: WriteScope = isApart ? { kind: "all" } : scope.ok ? scope.value : { kind: "none" };
    return new Request(asked, { depth: above.depth + 1, writes, tree: isApart ? asked.child : above.tree });
  }

  private keep(request: Request): void {
    const { child, parent, turn, index, seq } = request.asked;
    this.byCall.set(keyOf(parent, turn, index), { kind: "child", request });
    this.byChild.set(child, request);
    this.lastNumber = Math.max(this.lastNumber, Number(child.slice(1)));
    this.lastSeq = Math.max(this.lastSeq, seq);
  }

  private refuse(refused: RefusedRequest): Reserved {
    const reserved = { kind: "refused", refused } as const;
    this.byCall.set(keyOf(refused.parent, refused.turn, refused.index), reserved);
    this.lastSeq = Math.max(this.lastSeq, refused.seq);
    return reserved;
  }
}

function keyOf(agent: AgentId, turn: number, index: number): string {
  return JSON.stringify([agent, turn, index]);
}
