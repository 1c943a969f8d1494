// The coordinator: owns the store, leases tasks to worker hosts over a socket, and ends the run. Everything it decides is in the log
// first: a decision and its record are one synchronous step, so nothing can come between them.

import { unreachable } from "../../base/assert.ts";
import type { AgentId, HostId, Position, TaskId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import type { Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Connection, Listener, NetError } from "../../host/net.ts";
import type { AppendError, NewRecord } from "../../log/log.ts";
import { type CoordinatorNotice, hostAsk, hostNotice } from "../../protocol/messages.ts";
import { openPeer } from "../../protocol/peer.ts";
import { getTask, type SwarmState, swarmFold, type Task } from "../state.ts";
import { isFinal } from "../tasks.ts";
import { answerHost, type HostSession } from "./answer.ts";
import { describeAppendError } from "./append-error.ts";
import {
  type Context,
  type CoordinatorOptions,
  leaseRefusal,
  makeContext,
  type RunControl,
  type WaitingRequests,
} from "./context.ts";
import type { Coordinator, CoordinatorPorts, RunEnd, StopHow } from "./contract.ts";
import { newLease } from "./lease.ts";
import { type LeaseLoss, leaseEnd } from "./lease-end.ts";
import { nextSteps, type Step } from "./schedule.ts";

/** Listens and waits for hosts. The store holds `run_started` and the goal's task already. */
export async function startCoordinator(
  ports: CoordinatorPorts,
  options: CoordinatorOptions,
): Promise<Result<Coordinator, NetError>> {
  const { ledger, vcs, guards, clock } = ports;
  const running = new Running({ ledger, vcs, guards, clock, options, state: ledger.state(swarmFold) }, ports.howEnded);
  const listener = await ports.net.listen(options.socketPath, (connection) => running.accept(connection));
  if (!listener.ok) return listener;
  running.listener = listener.value;
  void running.watchSilence();
  running.watchTime();
  return { ok: true, value: running };
}

/** An agent that is at one call for so long when the run stops is not waited for. */
const gracefulStopMsMax = 5 * 60_000;

class Running implements Coordinator, RunControl {
  readonly activity = new Map<AgentId, string>();
  listener: Listener | null = null;
  readonly #context: Context;
  readonly #state: SwarmState;
  readonly #hosts = new Map<HostId, HostSession>();
  readonly #sessions = new Set<HostSession>();
  readonly #joined = new Set<HostId>();
  /** Where hosts that are gone kept their workspaces. */
  readonly #gone = new Map<HostId, string | null>();
  readonly #late = new AbortController();
  readonly #howEnded: CoordinatorPorts["howEnded"];
  readonly #listeners: (() => void)[] = [];
  readonly #lossListeners: ((host: HostId) => void)[] = [];
  readonly #closing = new AbortController();
  readonly #end = Promise.withResolvers<RunEnd>();
  /** Nothing is decided any more: the end is being recorded, or the coordinator has gone. */
  #ending = false;
  #pumping = false;
  #again = false;
  /** Why no request is let through any more. */
  #stopping: string | null = null;
  /** Why those that wait for their turn are given up too. */
  #holding: string | null = null;
  #change = Promise.withResolvers<void>();
  #wokenAt: Position | null = null;

  constructor(parts: Omit<Context, "append" | "record" | "control">, howEnded: CoordinatorPorts["howEnded"]) {
    this.#howEnded = howEnded;
    this.#context = makeContext({ ...parts, control: this });
    this.#state = parts.state;
  }

  get stopping(): string | null {
    return this.#stopping;
  }

  get holding(): string | null {
    return this.#holding;
  }

  get done(): Promise<RunEnd> {
    return this.#end.promise;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  onHostLost(listener: (host: HostId) => void): void {
    this.#lossListeners.push(listener);
  }

  hasJoined(host: HostId): boolean {
    return this.#joined.has(host);
  }

  get stoppedLate(): AbortSignal {
    return this.#late.signal;
  }

  accept(connection: Connection): void {
    const session: HostSession = {
      host: null,
      workspaces: null,
      peer: null,
      lastHeardMs: this.#context.clock.monotonicMs(),
      agents: new Set(),
    };
    session.peer = openPeer(connection, {
      onAsk: (body) => this.#onAsk(session, body),
      onNotice: (body) => this.#onNotice(session, body),
      onClose: () => void this.#lose(session, "its host is gone").catch((error: unknown) => this.#crash(error)),
    });
    this.#sessions.add(session);
  }

  async stop(reason: string, how: StopHow): Promise<void> {
    if (this.#ending) this.#late.abort(reason);
    if (how === "now") await this.#stopNow(reason);
    else this.#stopGracefully(reason, "given-up");
    // Whoever waits for `done` sees a bug; here it is an end like others.
    if (!this.#closing.signal.aborted) await this.done.catch(() => {});
  }

  stopInOrder(reason: string, waiting: WaitingRequests): void {
    this.#stopGracefully(reason, waiting);
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  #stopGracefully(reason: string, waiting: WaitingRequests): void {
    if (this.#ending) return;
    // A run that its limit of requests stops can still be stopped by a person.
    if (waiting === "given-up" && this.#holding === null) {
      this.#holding = reason;
      for (const host of this.#hosts.keys()) this.#send(host, { kind: "hold", reason });
      this.#wake();
    }
    if (this.#stopping !== null) return;
    this.#stopping = reason;
    const { clock } = this.#context;
    const patience = clock.after(
      gracefulStopMsMax,
      () => void this.#stopNow(reason).catch((error) => this.#crash(error)),
    );
    void this.done.catch(() => {}).finally(() => patience.cancel());
    this.#changed();
  }

  async #stopNow(reason: string): Promise<void> {
    if (this.#ending) return;
    this.#endWith(reason);
    // Both reach the log in this step: nothing is recorded between the leases' end and the run's.
    await Promise.all([
      this.#endLeases([...this.#state.tasks.values()], { reason, blame: "host" }),
      this.#finish({ state: "stopped", reason }),
    ]);
  }

  watchTime(): void {
    const { clock, options } = this.#context;
    if (options.minutesMax === null) return;
    const reason = `the time limit of ${options.minutesMax} min is reached`;
    const timer = clock.after(options.minutesMax * 60_000, () => this.stopInOrder(reason, "given-up"));
    void this.done.finally(() => timer.cancel()).catch(() => {});
  }

  async close(): Promise<void> {
    this.#endWith("the coordinator is closing");
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

  async #onAsk(session: HostSession, body: unknown): Promise<unknown> {
    session.lastHeardMs = this.#context.clock.monotonicMs();
    const ask = parse(hostAsk, body, "ask");
    if (!ask.ok) throw new Error(ask.error.message);
    const answer = await answerHost(this.#context, session, ask.value, (host) => this.#welcome(host, session));
    if (!answer.ok) {
      this.#storeFailed(answer.error);
      throw new Error(describeAppendError(answer.error));
    }
    this.#changed();
    return answer.value;
  }

  /** Null for a host that may work, else why not. */
  #welcome(host: HostId, session: HostSession): string | null {
    if (this.#ending) return "the run has ended";
    if (session.host !== null) return `this connection is ${session.host} already`;
    if (this.#hosts.has(host)) return `a host named ${host} is already connected`;
    session.host = host;
    this.#hosts.set(host, session);
    this.#joined.add(host);
    return null;
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
    const { host } = session;
    if (host === null || this.#hosts.get(host) !== session) return;
    this.#hosts.delete(host);
    this.#gone.set(host, session.workspaces);
    // Until it is known how, its leases stand: nobody else gets these tasks. Whoever listens may kill what hangs, so only then.
    const killed = this.#howEnded !== undefined && (await this.#howEnded(host)) === "killed";
    if (!this.#ending) for (const listener of this.#lossListeners) listener(host);
    const tasks = this.#ending ? [] : [...this.#state.tasks.values()];
    const held = tasks.filter(({ status }) => status.kind === "leased" && status.host === host);
    const [only] = held;
    await this.#endLeases(held, {
      reason,
      // Of several at work nobody knows which one did it.
      blame: only !== undefined && held.length === 1 && !killed ? "task" : "host",
    });
    this.#changed();
  }

  /** Ends the leases that some of these tasks hold; a task that lost too many fails. Reaches the log before its first await. */
  async #endLeases(tasks: readonly Task[], loss: Pick<LeaseLoss, "reason" | "blame">): Promise<void> {
    const lost = !this.#ending && this.#stopping === null;
    const records = tasks.flatMap((task) =>
      leaseEnd(this.#context, task, {
        ...loss,
        lost,
        workspacesOf: (host) => this.#hosts.get(host)?.workspaces ?? this.#gone.get(host) ?? null,
      }),
    );
    if (records.length > 0) await this.#append(records);
  }

  #changed(): void {
    this.#tell();
    this.#wake();
    if (this.#pumping) this.#again = true;
    else void this.#pump();
  }

  /** Decides until there is nothing to decide. The flag falls in the step that finds so: no change in between is missed. */
  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      do {
        this.#again = false;
        const steps = this.#ending ? [] : this.#steps();
        await Promise.all(steps.map((step) => this.#take(step)));
        if (steps.length > 0) this.#again = true;
      } while (this.#again && !this.#ending);
    } catch (error) {
      this.#crash(error);
    } finally {
      this.#pumping = false;
    }
  }

  #steps(): readonly Step[] {
    const { caps, requestsMax } = this.#context.options;
    const atWork = new Set([...this.#hosts.values()].flatMap((session) => [...session.agents]));
    const [root] = this.#state.tasks.values();
    // Work that came to its end while the run was being stopped has ended well.
    const stopped = this.#stopping !== null && !(root !== undefined && isFinal(root));
    const steps: readonly Step[] = stopped
      ? [{ kind: "end", state: "stopped", reason: this.#stopping ?? "" }]
      : nextSteps(this.#state, [...this.#hosts.keys()], { caps, requestsMax });
    return steps.filter((step) => !this.#mustWait(step, atWork));
  }

  /** The run ends, and a conversation goes on, only when the transcripts concerned are closed. */
  #mustWait(step: Step, atWork: ReadonlySet<AgentId>): boolean {
    if (step.kind === "end") return atWork.size > 0;
    if (step.kind !== "lease") return false;
    const { lastLease } = getTask(this.#state, step.task);
    return lastLease !== null && atWork.has(lastLease.agent);
  }

  /** Reaches the log before its first await. */
  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case "drop":
        await this.#append([this.#context.record("task_dropped", { task: step.task, reason: step.reason })]);
        return;
      case "lease":
        return this.#lease(step.task, step.host);
      case "end":
        if (step.state === "stopped") return this.#stopNow(step.reason);
        this.#endWith(step.reason);
        return this.#finish({ state: step.state, reason: step.reason });
      default:
        unreachable(step);
    }
  }

  async #lease(id: TaskId, host: HostId): Promise<void> {
    const { record, job } = newLease(this.#context, getTask(this.#state, id), host);
    this.#hosts.get(host)?.agents.add(job.lease.agent);
    if (!(await this.#append([record]))) return;
    // It may have ended while it was being written: then nobody begins work that will be refused.
    if (leaseRefusal(this.#state, job.lease) === null) this.#send(host, { kind: "assign", job });
  }

  #send(host: HostId, notice: CoordinatorNotice): void {
    this.#hosts.get(host)?.peer?.notify(notice);
  }

  async #append(records: readonly NewRecord[]): Promise<boolean> {
    const appended = await this.#context.append(records);
    if (!appended.ok) this.#storeFailed(appended.error);
    this.#tell();
    this.#wake();
    return appended.ok;
  }

  async #finish(end: RunEnd): Promise<void> {
    const appended = await this.#context.append([this.#context.record("run_ended", end)]);
    if (!appended.ok) return this.#storeFailed(appended.error);
    this.#stopHosts(end.reason);
    this.#end.resolve(end);
    this.#tell();
  }

  /** The log takes nothing more: what was acknowledged is on the disk, the rest never was. */
  #storeFailed(error: AppendError): void {
    const reason = describeAppendError(error);
    this.#endWith(reason);
    this.#stopHosts(reason);
    // A batch that is too large is refused by a sound store; else it goes on once the disk does.
    const state = error.kind === "no-space" || error.kind === "stopped" ? "stopped" : "failed";
    this.#end.resolve({ state, reason });
    this.#tell();
  }

  /** A bug: the run ends with it, whoever waits for `done` sees it, and no host works on. */
  #crash(error: unknown): void {
    this.#endWith("internal error of the coordinator");
    this.#stopHosts("internal error of the coordinator");
    this.#end.reject(error);
  }

  /** Requests that wait for the budget are refused with the reason: nothing would wake them. */
  #endWith(reason: string): void {
    this.#ending = true;
    this.#stopping ??= reason;
    this.#holding ??= reason;
    this.#tell();
    this.#wake();
  }

  #stopHosts(reason: string): void {
    for (const host of this.#hosts.keys()) this.#send(host, { kind: "stop", reason });
  }

  /** Only where something has happened: whoever waits looks at the whole state again. */
  #wake(): void {
    const { end } = this.#context.ledger;
    if (end === this.#wokenAt && this.#stopping === null) return;
    this.#wokenAt = end;
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
