// A task tree made of records, one call a step: the state is the fold's own, never written by hand.

import { asAgentId, asConflictId, asFence, asHostId, asPosition, asTaskId, type Position } from "../../base/ids.ts";
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
