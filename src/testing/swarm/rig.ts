// A coordinator's context over a log in memory, with tasks and leases put into the log as records: what handlers are tested on.

import { asAgentId, asFence, asHostId, asPosition, asTaskId, type ConflictId, type Position } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { openLedger } from "../../log/ledger.ts";
import type { StoredRecord } from "../../log/log.ts";
import type { Answers, HostAsk, Lease, Work } from "../../protocol/messages.ts";
import { answerHost, type HostSession } from "../../swarm/coordinator/answer.ts";
import { commitPolicies } from "../../swarm/coordinator/commit-policies.ts";
import {
  type Context,
  type CoordinatorOptions,
  LeaseGuards,
  makeContext,
  type RunControl,
} from "../../swarm/coordinator/context.ts";
import { defaultLimits } from "../../swarm/defaults.ts";
import type { RecordData, RecordType, TaskKind } from "../../swarm/records.ts";
import { type SwarmState, swarmFold } from "../../swarm/state.ts";
import { openVcs } from "../../vcs/engine.ts";
import { vcsFold } from "../../vcs/fold.ts";
import { mergeText } from "../../vcs/merge/merge.ts";
import type { MergeFunction } from "../../vcs/merges.ts";
import type { Vcs } from "../../vcs/vcs.ts";
import { type MemoryLog, memoryLog } from "../log/memory-log.ts";
import { type FileTexts, importFiles, request, stillClock } from "../vcs/vcs-rig.ts";

export interface RigTask {
  readonly parent?: string;
  readonly key?: string;
  readonly scope?: readonly string[];
  readonly check?: string;
  readonly after?: readonly string[];
  readonly conflict?: ConflictId;
}

export interface SwarmRig {
  readonly log: MemoryLog;
  readonly vcs: Vcs;
  readonly state: SwarmState;
  readonly context: Context;
  readonly session: HostSession;
  /** Appends one record, as the coordinator itself would. */
  put<T extends RecordType>(type: T, data: RecordData<T>): Promise<void>;
  add(id: string, kind: TaskKind, task?: RigTask): Promise<void>;
  /** Leases the task to a new agent. */
  lease(id: string): Promise<Lease>;
  /** Leases the agent's task to it once more, after an interruption. */
  leaseAgain(lease: Lease): Promise<Lease>;
  end(lease: Lease): Promise<void>;
  /** The host's question, answered; a store that fails is a failure of the test. */
  ask<K extends HostAsk["kind"]>(ask: Extract<HostAsk, { kind: K }>): Promise<Answers[HostAsk["kind"]]>;
  records(from?: number): Promise<readonly StoredRecord[]>;
}

export interface SwarmRigOptions {
  readonly merge?: MergeFunction;
  readonly options?: Partial<CoordinatorOptions>;
  readonly control?: RunControl;
  readonly log?: MemoryLog;
}

/** A run that goes on for ever. */
const stillControl: RunControl = {
  stopping: null,
  holding: null,
  stopInOrder: () => {},
  changed: () => new Promise(() => {}),
  stop: async () => {},
};

/** The store begins with these files, at snapshot 1. */
export async function openSwarmRig(
  files: FileTexts,
  { merge = mergeText, options, control = stillControl, log = memoryLog() }: SwarmRigOptions = {},
): Promise<SwarmRig> {
  const ledger = await openLedger(log, [vcsFold, swarmFold]);
  const state = ledger.state(swarmFold);
  const guards = new LeaseGuards(state);
  const vcs = openVcs({ ledger, policies: commitPolicies(state, guards), clock: stillClock, merge });
  await importFiles(vcs, files);
  const limits = defaultLimits({ workers: 4, requestsMax: 1_000 });
  const models = { planner: "p", worker: "w", arbiter: "a" };
  const context = makeContext({
    ledger,
    vcs,
    state,
    clock: stillClock,
    guards,
    control,
    options: { ...limits, socketPath: "/none", models, ...options },
  });
  const session: HostSession = {
    host: asHostId("h1"),
    workspaces: null,
    peer: null,
    lastHeardMs: 0,
    agents: new Set(),
  };
  const put: SwarmRig["put"] = async (type, data) => {
    unwrap(await context.append([context.record(type, data)]), type);
  };
  const grant = async (holder: Pick<Lease, "task" | "agent">): Promise<Lease> => {
    const lease = { ...holder, fence: asFence(state.nextFence) };
    const more = { host: asHostId("h1"), role: "worker", model: "w", snapshot: vcs.head(), reported: [] } as const;
    await put("task_leased", { ...lease, ...more });
    return lease;
  };
  return {
    log,
    vcs,
    state,
    context,
    session,
    put,
    add: (id, kind, task = {}) => put("task_added", taskAdded(id, kind, task)),
    lease: (id) => grant({ task: asTaskId(id), agent: asAgentId(`a${state.agents.size + 1}`) }),
    leaseAgain: ({ task, agent }) => grant({ task, agent }),
    end: (lease) =>
      put("lease_ended", {
        ...lease,
        reason: "its host is gone",
        workspace: null,
        lost: true,
        blame: "task",
        fresh: false,
      }),
    ask: async (ask) => unwrap(await answerHost(context, session, ask, () => null), ask.kind),
    async records(from = 0) {
      const found: StoredRecord[] = [];
      for await (const record of ledger.replay(asPosition(from))) found.push(record);
      return found;
    },
  };
}

let works = 0;

/** A host's work as its workspace would give it. */
export function workOf(base: Position, files: FileTexts, more: Partial<Work> = {}): Work {
  works += 1;
  const { key, changes, blobs } = request({ by: 1, base, files, key: `work-${works}` });
  return { key, base, message: "work", changes, blobs, outsideScopeReason: null, ...more };
}

export const doneReport = { status: "done", summary: "built", concerns: [], deviations: [], findings: [] } as const;

/** The state's view of who holds what, for whole comparisons. */
export function statusOf(state: SwarmState, id: string): string {
  return state.tasks.get(asTaskId(id))?.status.kind ?? "absent";
}

function taskAdded(id: string, kind: TaskKind, task: RigTask): RecordData<"task_added"> {
  const { parent, key = id, scope = [], check = null, after = [], conflict = null } = task;
  return {
    task: asTaskId(id),
    parent: parent === undefined ? null : asTaskId(parent),
    kind,
    key,
    title: id,
    instructions: `do ${id}`,
    scope,
    check,
    after: after.map(asTaskId),
    base: null,
    decisions: [],
    conflict,
  };
}
