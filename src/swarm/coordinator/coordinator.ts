// The coordinator: owns the store, leases tasks to worker hosts over a socket, and ends the run. Everything it decides is in the log first.

import { assert, unreachable } from "../../base/assert.ts";
import { type AgentId, asAgentId, asFence, type HostId, type TaskId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import type { Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { Connection, Listener, Net, NetError } from "../../host/net.ts";
import type { Ledger } from "../../log/ledger.ts";
import type { AppendError } from "../../log/log.ts";
import { type CoordinatorNotice, hostAsk, hostNotice, type Job } from "../../protocol/messages.ts";
import { openPeer } from "../../protocol/peer.ts";
import type { Vcs } from "../../vcs/engine.ts";
import { systemPrompt, taskPrompt, wakePrompt } from "../prompts.ts";
import { getTask, type SwarmState, swarmFold, type Task } from "../state.ts";
import { roleOf, unreportedChildren } from "../tasks.ts";
import { answerHost, type HostSession } from "./answer.ts";
import { type Context, type CoordinatorOptions, type LeaseGuards, makeContext } from "./context.ts";
import { nextSteps, type Step } from "./schedule.ts";

export interface RunEnd {
  readonly state: "finished" | "failed" | "stopped";
  readonly reason: string;
}

export interface Coordinator {
  /** Settles once the end of the run is durable. */
  readonly done: Promise<RunEnd>;
  /** Ends every lease now; what landed stays. */
  stop(reason: string): Promise<void>;
  /** Lines on what each agent does now; nothing of it is kept. */
  readonly activity: ReadonlyMap<AgentId, string>;
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface CoordinatorPorts {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
  readonly guards: LeaseGuards;
  readonly net: Net;
  readonly clock: Clock;
}

/** Listens and waits for hosts. The store holds `run_started` and the goal's task already. */
export async function startCoordinator(
  ports: CoordinatorPorts,
  options: CoordinatorOptions,
): Promise<Result<Coordinator, NetError>> {
  const { ledger, vcs, guards, clock } = ports;
  const running = new Running(makeContext({ ledger, vcs, guards, clock, options, state: ledger.state(swarmFold) }));
  const listener = await ports.net.listen(options.socketPath, (connection) => running.accept(connection));
  if (!listener.ok) return listener;
  running.listener = listener.value;
  void running.watchSilence();
  return { ok: true, value: running };
}

class Running implements Coordinator {
  readonly done: Promise<RunEnd>;
  readonly activity = new Map<AgentId, string>();
  listener: Listener | null = null;
  readonly #context: Context;
  readonly #state: SwarmState;
  readonly #hosts = new Map<HostId, HostSession>();
  readonly #sessions = new Set<HostSession>();
  readonly #listeners: (() => void)[] = [];
  readonly #closing = new AbortController();
  #end: (end: RunEnd) => void = () => {};
  #ending = false;
  #pumping = false;
  #again = false;

  constructor(context: Context) {
    this.#context = context;
    this.#state = context.state;
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  accept(connection: Connection): void {
    const session: HostSession = {
      host: null,
      peer: null,
      lastHeardMs: this.#context.clock.monotonicMs(),
      agents: new Set(),
    };
    const peer = openPeer(connection, {
      onAsk: async (body) => {
        session.lastHeardMs = this.#context.clock.monotonicMs();
        const ask = parse(hostAsk, body, "ask");
        if (!ask.ok) throw new Error(ask.error.message);
        const answer = await answerHost(this.#context, session, ask.value, (host) => this.#welcome(host, session));
        if (!answer.ok) {
          await this.#storeFailed(answer.error);
          throw new Error(describeAppendError(answer.error));
        }
        this.#changed();
        return answer.value;
      },
      onNotice: (body) => this.#onNotice(session, body),
      onClose: () => void this.#lose(session, "its host is gone"),
    });
    session.peer = peer;
    this.#sessions.add(session);
  }

  async stop(reason: string): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await this.#endLeases([...this.#state.tasks.values()], reason);
    await this.#finish({ state: "stopped", reason });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const session of this.#sessions) session.peer?.close();
    await this.listener?.close();
  }

  /** Closes hosts that fell silent: a machine that hangs must not hold its leases for ever. */
  async watchSilence(): Promise<void> {
    const { clock, options } = this.#context;
    while (!this.#closing.signal.aborted) {
      await clock.sleep(options.beatMs, this.#closing.signal);
      for (const session of this.#sessions) {
        if (clock.monotonicMs() - session.lastHeardMs > options.hostSilenceMsMax) session.peer?.close();
      }
    }
  }

  #welcome(host: HostId, session: HostSession): boolean {
    if (this.#hosts.has(host)) return false;
    session.host = host;
    this.#hosts.set(host, session);
    return true;
  }

  #onNotice(session: HostSession, body: unknown): void {
    session.lastHeardMs = this.#context.clock.monotonicMs();
    const notice = parse(hostNotice, body, "notice");
    if (!notice.ok || notice.value.kind !== "activity") return;
    if (!this.#state.agents.has(notice.value.agent)) return;
    this.activity.set(notice.value.agent, cleanLine(notice.value.line, 200));
    this.#tell();
  }

  async #lose(session: HostSession, reason: string): Promise<void> {
    this.#sessions.delete(session);
    if (session.host === null || this.#hosts.get(session.host) !== session) return;
    this.#hosts.delete(session.host);
    if (this.#ending) return;
    const held = [...this.#state.tasks.values()].filter(
      (task) => task.status.kind === "leased" && task.status.host === session.host,
    );
    await this.#endLeases(held, reason);
    this.#changed();
  }

  /** Ends the leases that some of these tasks hold; a task that lost too many fails. */
  async #endLeases(tasks: readonly Task[], reason: string): Promise<void> {
    const { record, options } = this.#context;
    const records = tasks.flatMap((task) => {
      if (task.status.kind !== "leased") return [];
      const { agent, fence } = task.status;
      const ended = record("lease_ended", { task: task.id, agent, fence, reason, workspace: null });
      if (this.#ending || task.attemptsLost + 1 < options.attemptsMax) return [ended];
      const failed = record("task_failed", {
        task: task.id,
        reason: `${options.attemptsMax} attempts ended without a result; the last: ${reason}`,
        handoff: null,
        workspace: null,
      });
      return [ended, failed];
    });
    if (records.length > 0) await this.#append(records);
  }

  #changed(): void {
    this.#tell();
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    this.#pumping = true;
    void this.#pump().finally(() => {
      this.#pumping = false;
    });
  }

  async #pump(): Promise<void> {
    do {
      this.#again = false;
      const steps = nextSteps(this.#state, [...this.#hosts.keys()], this.#context.options.caps).filter(
        (step) => !this.#mustWait(step),
      );
      for (const step of steps) {
        if (this.#ending) return;
        await this.#take(step);
        this.#again = true;
      }
      this.#tell();
    } while (this.#again && !this.#ending);
  }

  /** The run ends, and a planner is woken, only when the transcripts concerned are closed. */
  #mustWait(step: Step): boolean {
    const atWork = new Set([...this.#hosts.values()].flatMap((session) => [...session.agents]));
    if (step.kind === "end") return atWork.size > 0;
    if (step.kind !== "lease") return false;
    const { status } = getTask(this.#state, step.task);
    return status.kind === "waiting" && atWork.has(status.agent);
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case "drop":
        await this.#append([this.#context.record("task_dropped", { task: step.task, reason: step.reason })]);
        return;
      case "lease":
        return this.#lease(step.task, step.host);
      case "end":
        this.#ending = true;
        return this.#finish({ state: step.state, reason: step.reason });
      default:
        unreachable(step);
    }
  }

  async #lease(id: TaskId, host: HostId): Promise<void> {
    const state = this.#state;
    const task = getTask(state, id);
    const role = roleOf(task);
    const woken = task.status.kind === "waiting" ? task.status.agent : null;
    const agent = woken ?? asAgentId(`a${state.agents.size + 1}`);
    const fence = asFence(state.nextFence);
    const snapshot = task.base ?? this.#context.vcs.head();
    const unread = woken === null ? [] : unreportedChildren(state, task);
    const prompt = woken === null ? taskPrompt(state, task) : wakePrompt(unread);
    const model = this.#context.options.models[role];
    const job: Job = {
      lease: { task: id, agent, fence },
      role,
      keys: this.#keysOf(task),
      model,
      snapshot,
      system: systemPrompt(role),
      prompt,
      resume: woken !== null,
      check: task.check,
      conflict: task.conflict,
      turnsMax: this.#context.options.turnsMax,
    };
    const leased = this.#context.record("task_leased", {
      task: id,
      agent,
      fence,
      host,
      role,
      model,
      snapshot,
      reported: unread.map((child) => child.id),
    });
    this.#hosts.get(host)?.agents.add(agent);
    if (!(await this.#append([leased]))) return;
    this.#send(host, { kind: "assign", job });
  }

  /** The names a script may call the task by. */
  #keysOf(task: Task): readonly string[] {
    if (task.conflict === null) return [task.key, task.id];
    const conflict = this.#context.vcs.conflict(task.conflict);
    assert(conflict !== null, `${task.conflict} exists`);
    const sides = [conflict.author, ...conflict.paths.flatMap((path) => path.oursAuthor ?? [])];
    return [...new Set(sides.map((side) => getTask(this.#state, side.task).key))].sort();
  }

  #send(host: HostId, notice: CoordinatorNotice): void {
    this.#hosts.get(host)?.peer?.notify(notice);
  }

  async #append(records: Parameters<Context["append"]>[0]): Promise<boolean> {
    const appended = await this.#context.append(records);
    if (!appended.ok) await this.#storeFailed(appended.error);
    this.#tell();
    return appended.ok;
  }

  async #finish(end: RunEnd): Promise<void> {
    const appended = await this.#context.append([this.#context.record("run_ended", end)]);
    const final: RunEnd = appended.ok ? end : { state: "failed", reason: describeAppendError(appended.error) };
    for (const host of this.#hosts.keys()) this.#send(host, { kind: "stop", reason: end.reason });
    this.#end(final);
    this.#tell();
  }

  /** The log takes nothing more: what was acknowledged is on the disk, the rest never was. */
  async #storeFailed(error: AppendError): Promise<void> {
    if (error.kind === "batch-too-large" || error.kind === "moved") return;
    this.#ending = true;
    this.#end({ state: "failed", reason: describeAppendError(error) });
    for (const host of this.#hosts.keys()) this.#send(host, { kind: "stop", reason: describeAppendError(error) });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function describeAppendError(error: AppendError): string {
  switch (error.kind) {
    case "moved":
      return `the store has another writer: expected its end at ${error.expected}, found ${error.end}`;
    case "batch-too-large":
      return `a batch of ${error.bytes} bytes is over the limit of ${error.bytesMax}`;
    case "no-space":
      return `the disk is full, nothing unacknowledged was kept: ${error.message}`;
    case "stopped":
      return `the store stopped: ${error.message}`;
    default:
      return unreachable(error);
  }
}
