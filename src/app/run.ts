// One agent in the person's own directory: `skein run`. Its transcript is kept like a swarm agent's, in the same id space.

import { runAgent } from "../agent/loop.ts";
import { withoutSecrets } from "../agent/redact.ts";
import { openSessionLog } from "../agent/session-log.ts";
import { AGENT_LIMITS, type AgentEvent, type AgentResult } from "../agent/spec.ts";
import { spillTo } from "../agent/spill.ts";
import type { RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { Provider } from "../model/provider.ts";
import { editingTools, readOnlyTools } from "../tools/index.ts";
import { inspectRepository } from "../vcs/git/inspect.ts";
import { settingsMax } from "./config-schema.ts";
import type { ConfigError } from "./config-text.ts";
import { runLock } from "./live-run.ts";
import { loadSettings } from "./load-settings.ts";
import { keysIn } from "./model-plan.ts";
import { openModels } from "./models.ts";
import { gitOf } from "./prepare-swarm.ts";
import { requestsPerMinuteProblem } from "./requests-per-minute.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { planRoles, type RoleModel, type RoleModelError } from "./role-models.ts";
import type { SettingsError } from "./setting-sources.ts";
import type { Settings } from "./settings.ts";
import { SoloBudget } from "./solo-budget.ts";
import { soloAgent, soloTranscript } from "./solo-facts.ts";
import { claimRun, type RunDirectories, type StateError } from "./state-directory.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";
import type { RunFlags } from "./swarm-types.ts";

export interface RunOptions {
  readonly task: string;
  readonly flags: RunFlags;
  readonly turnsMax: number;
}

export interface RunStart {
  readonly runId: RunId;
  readonly role: RoleModel;
  readonly settings: Settings;
  readonly turnsMax: number;
  readonly directory: string;
  readonly transcript: string;
}

export interface RunWatcher {
  onStart(start: RunStart): void;
  onEvent(event: AgentEvent): void;
  onNote(text: string): void;
  readonly signal: AbortSignal;
}

export interface RunResult {
  readonly runId: RunId;
  readonly provider: Provider;
  readonly result: AgentResult;
  readonly wallMs: number;
  readonly transcript: string;
}

export type RunError =
  | { readonly kind: "empty-task" }
  | { readonly kind: "bad-turns"; readonly turns: number; readonly turnsMax: number }
  | ConfigError
  | SettingsError
  | RoleModelError
  | StateError
  | FileError;

const system = `You are an agent that works in one directory of one person's machine.
Read before you edit. Run the project's own tests for what you change. When the task is done, say in a few sentences what you did and what is left.`;

export async function runTask(
  surroundings: Surroundings,
  options: RunOptions,
  watcher: RunWatcher,
): Promise<Result<RunResult, RunError>> {
  if (options.task.trim() === "") return err({ kind: "empty-task" });
  if (!Number.isInteger(options.turnsMax) || options.turnsMax < 1 || options.turnsMax > settingsMax.turns)
    return err({ kind: "bad-turns", turns: options.turnsMax, turnsMax: settingsMax.turns });
  const prepared = await prepare(surroundings, options);
  if (!prepared.ok) return prepared;
  const claimed = await claimRun(surroundings, prepared.value.root);
  if (!claimed.ok) return claimed;
  const { id, directories } = claimed.value;
  const lock = await surroundings.host.locks.acquire(runLock({ kind: "run", directories }));
  try {
    const made = await surroundings.host.files.makeDirectory(directories.agents, { private: true });
    return made.ok ? await work(surroundings, options, { id, directories, prepared: prepared.value }, watcher) : made;
  } finally {
    if (lock.ok) await lock.value.release();
  }
}

interface Claimed {
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly prepared: Prepared;
}

async function work(
  surroundings: Surroundings,
  options: RunOptions,
  { id, directories, prepared }: Claimed,
  watcher: RunWatcher,
): Promise<Result<RunResult, RunError>> {
  const { root, role, settings } = prepared;
  const { onNote } = watcher;
  const { record: recordTo } = options.flags;
  const models = openModels({
    host: surroundings.host,
    models: [role.model],
    limits: { requestsPerMinute: options.flags.requestsPerMinute ?? null, agentsMax: 1, askedLately: false },
    places: { run: directories.run, work: root },
    record: recordTo === undefined ? null : { directory: recordTo, onNote },
  });
  const budget = budgetOf(surroundings, prepared);
  const provider = await models.open(role.model.name, { mayRetry: async (failed) => budget.mayRetry(failed) });
  if (!provider.ok) return err({ kind: "bad-model", name: role.model.name, message: provider.error });
  const turnsMax = Math.min(options.turnsMax, settings.limits.requests.value);
  const transcript = soloTranscript(directories);
  watcher.onStart({ runId: id, role, settings, turnsMax, directory: root, transcript });
  const startedMs = surroundings.host.clock.monotonicMs();
  const talking = { ...prepared, task: options.task, provider: provider.value, transcript, turnsMax, budget };
  const result = await talk(surroundings, talking, watcher);
  await models.close();
  if (!result.ok) return result;
  const wallMs = surroundings.host.clock.monotonicMs() - startedMs;
  return ok({ runId: id, provider: provider.value, result: result.value, wallMs, transcript });
}

const agent = soloAgent;

interface Prepared {
  /** Where the agent works, without symlinks. */
  readonly root: string;
  readonly role: RoleModel;
  readonly settings: Settings;
}

async function prepare(
  surroundings: Surroundings,
  { flags }: RunOptions,
): Promise<Result<Prepared, Exclude<RunError, { readonly kind: "empty-task" | "bad-turns" }>>> {
  const { files } = surroundings.host;
  const root = await files.realPath(surroundings.cwd);
  if (!root.ok) return root;
  // Not every directory is in a repository, and not every machine has git: then only the directory's own file counts.
  const repository = await inspectRepository({ git: gitOf(surroundings), files, path: root.value });
  const repositoryRoot = repository.ok ? repository.value.root : null;
  const place = { directory: root.value, repositoryRoot, configFiles: true };
  const loaded = await loadSettings(surroundings, { flags, roles: ["solo"], ...place });
  if (!loaded.ok) return loaded;
  const problem = requestsPerMinuteProblem(flags.requestsPerMinute);
  if (problem !== null) return err(problem);
  const roles = await planRoles(surroundings, loaded.value, ["solo"]);
  if (!roles.ok) return roles;
  const [role] = roles.value;
  if (role === undefined) return err({ kind: "no-model", roles: [] });
  return ok({ root: root.value, role, settings: loaded.value.settings });
}

function budgetOf({ host: { clock } }: Surroundings, { role, settings }: Prepared): SoloBudget {
  const { budgetUsd, minutes } = settings.limits;
  return new SoloBudget({
    clock,
    price: role.price,
    budgetUsd: budgetUsd?.value ?? null,
    minutes: minutes?.value ?? null,
  });
}

interface Talking extends Omit<Prepared, "settings"> {
  readonly task: string;
  readonly provider: Provider;
  readonly transcript: string;
  readonly turnsMax: number;
  readonly budget: SoloBudget;
}

async function talk(
  surroundings: Surroundings,
  { root, role, task, provider, transcript, turnsMax, budget }: Talking,
  watcher: RunWatcher,
): Promise<Result<AgentResult, RunError>> {
  const { host, env } = surroundings;
  const { files, processes, clock } = host;
  const record = await openSessionLog(files, transcript, { agent, parent: null });
  if (!record.ok) return record;
  const spillDirectory = transcript.replace(/\.jsonl$/, ".outputs");
  const secrets = keysIn([role.model]);
  const tools = {
    files,
    processes,
    clock,
    root,
    rgPath: await ripgrepPath(),
    environment: shellEnvironment(env),
    spillDirectory,
    secrets,
  };
  const outputTokensMax = role.outputTokensMax ?? AGENT_LIMITS.outputTokensMax;
  const result = await runAgent(
    {
      agent,
      role: "solo",
      task: null,
      taskKeys: [],
      system,
      messages: [{ role: "user", text: task }],
      messagesRecorded: 0,
      firstTurn: 0,
      tools: withoutSecrets([...readOnlyTools(tools), ...editingTools(tools)], secrets),
      limits: { ...AGENT_LIMITS, turnsMax, outputTokensMax },
    },
    {
      provider,
      clock,
      record: record.value,
      spill: spillTo(files, spillDirectory),
      signal: watcher.signal,
      onEvent: (event) => watcher.onEvent(event),
      beforeRequest: async (plan) => budget.before(plan),
      afterRequest: async (report) => budget.after(report),
    },
  );
  await record.value.close();
  return ok(result);
}
