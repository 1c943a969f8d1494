// A lone run from its first line to its bill: models, budget, tools, children, the loop. Whatever ends it, its transcripts are closed and
// its children are gone.

import { join } from "node:path";
import type { Approvals } from "../agent/approval/approvals.ts";
import type { ApprovalMode } from "../agent/approval/mode.ts";
import { runAgent } from "../agent/loop.ts";
import { withoutSecrets } from "../agent/redact.ts";
import { RunBudget } from "../agent/run-budget.ts";
import { heardIn } from "../agent/session-history.ts";
import { openSessionLog, type SessionFile } from "../agent/session-log.ts";
import type { AgentPorts, AgentSpec } from "../agent/spec.ts";
import { spillTo } from "../agent/spill.ts";
import type { AgentTrace } from "../agent/trace.ts";
import { orAborted } from "../base/abort.ts";
import type { RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Provider } from "../model/provider.ts";
import type { ToolEnv } from "../tools/index.ts";
import { type DelegationSetup, openDelegation } from "./delegation.ts";
import { gitGuards, gitWatch } from "./git-guards.ts";
import { inSandbox } from "./in-sandbox.ts";
import { knownKeys } from "./known-keys.ts";
import { type Models, openModels } from "./models.ts";
import { type OwnSession, openOwnSession } from "./own-session.ts";
import { distinctModels } from "./role-models.ts";
import { approvalsOf } from "./run-approvals.ts";
import { billOf, spentUsdMax } from "./run-bill.ts";
import { type RunHooks, runHooks } from "./run-hooks.ts";
import { openingOf } from "./run-opening.ts";
import type { Prepared } from "./run-prepare.ts";
import type { Session } from "./run-session.ts";
import { runTools, toolEnvOf } from "./run-tools.ts";
import type { RunEnding, RunError, RunResult, RunWatcher } from "./run-types.ts";
import { seenApprovals, seenCompaction } from "./seen-run.ts";
import { seenTools } from "./seen-tools.ts";
import { soloAgent, soloTranscript } from "./solo-facts.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";
import { timeLimit } from "./time-limit.ts";
import { openTraceFiles, type TraceFiles } from "./trace-files.ts";

const ownSystem = `You are an agent that works in one directory of one person's machine.
Read before you edit. Run the project's own tests for what you change. When the task is done, say in a few sentences what you did and what is left.`;

/** The same for every agent of the run. */
function systemOf({ context }: Prepared): string {
  return [ownSystem, ...context.system].join("\n\n");
}

export interface Talk {
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly prepared: Prepared;
  /** What the run was started for. */
  readonly task: string;
  readonly session: Session;
}

export async function talk(
  surroundings: Surroundings,
  run: Talk,
  watcher: RunWatcher,
): Promise<Result<RunResult, RunError>> {
  const { host } = surroundings;
  const { id, directories, prepared, session } = run;
  const { role, child, settings, runLimits, root } = prepared;
  const budget = await budgetOf(surroundings, run);
  const models = modelsOf(surroundings, run, watcher);
  const provider = await openModel(models, budget, role.model.name);
  if (!provider.ok) return err({ kind: "bad-model", name: role.model.name, message: provider.error });
  const transcript = soloTranscript(directories);
  const record = await openSessionLog(host.files, transcript, { agent: soloAgent, parent: null });
  if (!record.ok) return record;
  watcher.onStart({
    runId: id,
    agent: soloAgent,
    resumed: session.resumed,
    task: run.task,
    roles: [role, child],
    settings,
    limits: runLimits,
    directory: root,
    transcript,
    around: prepared.context.lines,
    policy: prepared.policy,
    sandbox: prepared.sandbox,
    asksPerson: watcher.person !== null,
  });
  for (const note of prepared.context.notes) watcher.onNote(note);
  const startedMs = host.clock.monotonicMs();
  const { onNote } = watcher;
  const own = await openOwnSession(surroundings, { client: "skein", session: id, cwd: root, transcript, onNote });
  const trace = openTraceFiles(host.files, directories.run, onNote);
  const hooks = hooksOf(surroundings, run, { trace, onNote });
  const told = await openingOf(run, { own, hooks, signal: watcher.stop });
  const opening = { provider: provider.value, record: record.value, budget, models, own, trace, hooks };
  const result = told.ok ? await runToEnd(surroundings, { ...run, session: told.value, ...opening }, watcher) : told;
  if (!watcher.stopNow.aborted) await hooks?.ended("other");
  await own.note({ kind: "session-ended", reason: result.ok ? result.value.kind : "failed" });
  await record.value.close();
  await trace.close();
  await models.close();
  if (!result.ok) return result;
  const wallMs = host.clock.monotonicMs() - startedMs;
  const bill = await billOf(host.files, directories);
  return ok({ runId: id, provider: provider.value, result: result.value, bill, wallMs, transcript });
}

/** Null where the person has none. */
function hooksOf(
  surroundings: Surroundings,
  { id, directories, prepared }: Talk,
  { trace, onNote }: { readonly trace: AgentTrace; readonly onNote: (text: string) => void },
): RunHooks | null {
  const first = { agent: soloAgent, parent: null, root: prepared.root, transcript: soloTranscript(directories) };
  return runHooks({
    surroundings,
    list: prepared.context.hooks,
    runId: id,
    first,
    projectDirectory: prepared.top,
    permissionMode: permissionModes[prepared.policy.mode],
    secrets: keysOf(surroundings, prepared),
    trace,
    onNote,
  });
}

/** As Claude Code names them. */
const permissionModes: Readonly<Record<ApprovalMode, string>> = {
  "read-only": "plan",
  ask: "default",
  "auto-edit": "acceptEdits",
  "full-auto": "bypassPermissions",
};

interface Opened extends Talk {
  /** How other sessions see this run. */
  readonly own: OwnSession;
  readonly trace: TraceFiles;
  readonly hooks: RunHooks | null;
  readonly provider: Provider;
  readonly record: SessionFile;
  readonly budget: RunBudget;
  readonly models: Models;
}

async function runToEnd(
  surroundings: Surroundings,
  opened: Opened,
  watcher: RunWatcher,
): Promise<Result<RunEnding, RunError>> {
  const { host } = surroundings;
  const { prepared, provider, record, budget, directories, own, trace, hooks } = opened;
  const transcript = soloTranscript(directories);
  const limit = timeLimit(host.clock, prepared.settings.limits.minutes?.value ?? null, watcher.stop);
  const secrets = keysOf(surroundings, prepared);
  const { sandbox, policy } = prepared;
  const gitMade = await gitWatch(host.files, prepared.root);
  const box = {
    writable: policy.mode !== "read-only",
    guarded: sandbox.kind === "held" ? await gitGuards(host.files, prepared) : [],
    temporary: join(directories.run, "tmp"),
    shown: [],
  };
  const env = inSandbox(await toolEnvOf(surroundings, prepared.root, directories, secrets), { sandbox, box });
  const approvals = approvalsOf(surroundings, {
    policy,
    person: watcher.person,
    onEvent: seenApprovals(own, (event) => watcher.onApproval(event)),
    hooks,
    directories,
  });
  const delegation = await openDelegation(
    delegationSetup(surroundings, opened, { env, watcher, approvals, signal: limit.signal }),
  );
  if (!delegation.ok) return delegation;
  const { tools } = delegation.value;
  const payer = { agent: soloAgent, price: provider.price, usdMax: null };
  const ports: AgentPorts = {
    provider,
    clock: host.clock,
    record,
    spill: spillTo(host.files, env.spillDirectory),
    signal: limit.signal,
    limitReached: () => limit.reached(),
    trace,
    gate: approvals.gateFor({ root: prepared.root, tools }),
    ...(hooks === null ? {} : { hooks: hooks.of({ agent: soloAgent, parent: null, root: prepared.root, transcript }) }),
    ...seenCompaction(own, (event) => watcher.onEvent(event)),
    beforeRequest: async (plan) => budget.before(payer, plan),
    afterRequest: async (report) => budget.after(soloAgent, report),
    ...delegation.value.ports,
  };
  const running = runAgent({ ...specOf(opened), tools }, ports);
  // The person would not wait any longer: what runs is ended with this process, and what it did is in the transcript as far as it got.
  const ended = await orAborted(running, watcher.stopNow);
  const made = await gitMade();
  if (made !== null) watcher.onNote(made);
  if (ended.kind === "aborted") return ok({ kind: "ended-now" });
  await delegation.value.close();
  await host.files.remove(box.temporary);
  limit.end();
  return ok(ended.value);
}

interface RunningParts {
  readonly env: ToolEnv;
  readonly watcher: RunWatcher;
  readonly approvals: Approvals;
  readonly signal: AbortSignal;
}

function delegationSetup(
  surroundings: Surroundings,
  { directories, prepared, session, budget, models, own: self, trace, hooks }: Opened,
  { env, watcher, approvals, signal }: RunningParts,
): DelegationSetup {
  const { role, child, agentLimits, delegation } = prepared;
  const keys = keysOf(surroundings, prepared);
  return {
    surroundings,
    directories,
    agent: soloAgent,
    system: systemOf(prepared),
    trace,
    hooks,
    approvals,
    sandbox: prepared.sandbox,
    writable: prepared.policy.mode !== "read-only",
    limits: { ...agentLimits, contextTokens: smaller(agentLimits.contextTokens, child.contextTokens) },
    toolEnv: env,
    // A child's copy is nobody else's: what is edited there is not yet a file of the repository.
    tools: (own) => {
      const tools = runTools(own, prepared.context.skills);
      return withoutSecrets(own.root === env.root ? seenTools(tools, self) : tools, keys);
    },
    models: [...new Set([child.model.name, role.model.name])],
    toolNames: prepared.limits.tools ?? null,
    childContexts: prepared.limits.childContexts ?? null,
    openModel: (name) => openModel(models, budget, name),
    budget,
    delegation,
    signal,
    onEvent: (event) => watcher.onFamily(event),
    onNote: (text) => watcher.onNote(text),
    conversation: session.resumed === null ? [] : heardIn(session),
  };
}

function keysOf(surroundings: Surroundings, { role, child, settings }: Prepared): readonly string[] {
  return knownKeys(surroundings, [role.model, child.model], settings);
}

/** A window that is not known bounds nothing. */
function smaller(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function specOf({ prepared, session }: Opened): Omit<AgentSpec, "tools"> {
  const { messages, messagesRecorded, firstTurn, pending, waiting, afterPending } = session;
  return {
    agent: soloAgent,
    parent: null,
    role: "solo",
    task: null,
    taskKeys: [],
    system: systemOf(prepared),
    messages,
    messagesRecorded,
    firstTurn,
    ...(pending === null ? {} : { pending }),
    waiting,
    ...(afterPending === null ? {} : { afterPending }),
    limits: prepared.agentLimits,
  };
}

function modelsOf({ host }: Surroundings, { directories, prepared, session }: Talk, { onNote }: RunWatcher): Models {
  const { role, child, root, flags, runLimits } = prepared;
  return openModels({
    host,
    models: distinctModels([role, child]),
    limits: {
      requestsPerMinute: flags.requestsPerMinute ?? null,
      agentsMax: runLimits.childrenAtOnceMax + 1,
      askedLately: session.resumed !== null,
    },
    places: { run: directories.run, work: root },
    record: flags.record === undefined ? null : { directory: flags.record, onNote },
  });
}

function openModel(models: Models, budget: RunBudget, name: string): Promise<Result<Provider, string>> {
  return models.open(name, { mayRetry: async (failed, context) => budget.mayRetry(failed, context) });
}

async function budgetOf({ host }: Surroundings, { directories, prepared, session }: Talk): Promise<RunBudget> {
  const { role, settings, agentLimits } = prepared;
  const { budgetUsd, minutes, requests } = settings.limits;
  const { price } = role;
  const { outputTokensMax } = agentLimits;
  const counts = session.resumed !== null && budgetUsd !== null && price !== null;
  return new RunBudget({
    clock: host.clock,
    budgetUsd: budgetUsd?.value ?? null,
    minutes: minutes?.value ?? null,
    requestsMax: requests.value,
    requestsMade: session.resumed?.bill.totals.requests ?? 0,
    spentUsd: counts ? await spentUsdMax(host.files, directories, { price, outputTokensMax }) : 0,
  });
}
