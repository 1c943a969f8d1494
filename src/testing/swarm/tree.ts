// A task tree made of records, one call a step: the state is the fold's own, never written by hand.

import {
  asAgentId,
  asConflictId,
  asDecisionId,
  asFence,
  asHostId,
  asPosition,
  asTaskId,
  type Position,
  type RepoPath,
} from "../../base/ids.ts";
import { type RecordData, type RecordType, swarmRecord, type TaskKind } from "../../swarm/records.ts";
import { type SwarmState, swarmFold } from "../../swarm/state.ts";

interface TaskOptions {
  readonly parent?: string;
  readonly after?: readonly string[];
  readonly base?: Position;
  readonly scope?: readonly string[];
}

export function swarmTree(): SwarmTree {
  return new SwarmTree();
}

export class SwarmTree {
  readonly state: SwarmState = swarmFold.initial();
  private position = 0;
  private fence = 0;

  plan(id: string, options: TaskOptions = {}): this {
    return this.add(id, "plan", options);
  }

  work(id: string, options: TaskOptions = {}): this {
    return this.add(id, "work", options);
  }

  resolve(id: string, options: TaskOptions = {}): this {
    return this.add(id, "resolve", options);
  }

  lease(id: string): this {
    this.fence += 1;
    return this.record("task_leased", {
      task: asTaskId(id),
      agent: asAgentId(`a-${id}`),
      fence: asFence(this.fence),
      host: asHostId("h1"),
      role: "worker",
      model: "m",
      snapshot: asPosition(0),
      reported: [],
    });
  }

  suspend(id: string): this {
    return this.record("task_suspended", { task: asTaskId(id), agent: asAgentId(`a-${id}`), fence: asFence(0) });
  }

  done(id: string): this {
    return this.record("task_done", { task: asTaskId(id), handoff: null });
  }

  conflict(id: string): this {
    return this.record("task_conflicted", { task: asTaskId(id), conflict: asConflictId("c1"), handoff: null });
  }

  fail(id: string, reason: string): this {
    return this.record("task_failed", { task: asTaskId(id), reason, handoff: null, workspace: null });
  }

  /** The lease is lost with its host. */
  lose(id: string): this {
    const fence = asFence(this.fence);
    return this.record("lease_ended", {
      task: asTaskId(id),
      agent: asAgentId(`a-${id}`),
      fence,
      reason: "gone",
      workspace: null,
      lost: true,
      blame: "task",
      fresh: false,
    });
  }

  decide(id: string, task: string): this {
    return this.record("decision_made", {
      decision: asDecisionId(id),
      question: `${id}?`,
      answer: "Yes.",
      path: `design/${id}.md` as RepoPath,
      revision: 1,
      agent: asAgentId(`a-${task}`),
      task: asTaskId(task),
    });
  }

  request(id: string): this {
    return this.record("model_request", {
      agent: asAgentId(`a-${id}`),
      task: asTaskId(id),
      fence: asFence(this.fence),
      role: "worker",
      model: "m",
      turn: 1,
      attempts: 1,
      input_tokens: 100,
      cached_tokens: 40,
      output_tokens: 10,
      cost_usd: 0.5,
      held_charged: true,
      duration_ms: 3,
      failed: null,
    });
  }

  drop(id: string): this {
    return this.record("task_dropped", { task: asTaskId(id), reason: "" });
  }

  private add(id: string, kind: TaskKind, { parent, after = [], base, scope = [] }: TaskOptions): this {
    return this.record("task_added", {
      task: asTaskId(id),
      parent: parent === undefined ? null : asTaskId(parent),
      kind,
      key: id,
      title: id,
      instructions: "",
      scope,
      check: null,
      after: after.map(asTaskId),
      base: base ?? null,
      decisions: [],
      conflict: kind === "resolve" ? asConflictId("c1") : null,
    });
  }

  private record<T extends RecordType>(type: T, data: RecordData<T>): this {
    swarmFold.apply(this.state, { ...swarmRecord(0, type, data), position: asPosition(this.position++) });
    return this;
  }
}
