// One agent in the person's own directory: `skein run`. Its transcript is kept like a swarm agent's, in the same id space.

import { join } from "node:path";
import { runAgent } from "../agent/loop.ts";
import { openSessionLog } from "../agent/session-log.ts";
import { AGENT_LIMITS, type AgentEvent, type AgentResult } from "../agent/spec.ts";
import { spillTo } from "../agent/spill.ts";
import { asAgentId, type RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { Provider } from "../model/provider.ts";
import { editingTools, readOnlyTools } from "../tools/index.ts";
import { openModel } from "./models.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { claimRun, type StateError } from "./state-directory.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

export interface RunOptions {
  readonly task: string;
  readonly model: string | null;
  readonly turnsMax: number;
}

export interface RunWatcher {
  onStart(start: {
    readonly runId: RunId;
    readonly provider: Provider;
    readonly directory: string;
    readonly transcript: string;
  }): void;
  onEvent(event: AgentEvent): void;
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
  | { readonly kind: "bad-turns"; readonly turnsMax: number }
  | { readonly kind: "no-model"; readonly roles: readonly [] }
  | { readonly kind: "bad-model"; readonly name: string; readonly message: string }
  | StateError
  | FileError;

const system = `You are an agent that works in one directory of one person's machine.
Read before you edit. Run the project's own tests for what you change. When the task is done, say in a few sentences what you did and what is left.`;

export async function runTask(
  surroundings: Surroundings,
  options: RunOptions,
  watcher: RunWatcher,
): Promise<Result<RunResult, RunError>> {
  const { host, env, cwd } = surroundings;
  const { files, processes, clock } = host;
  if (options.task.trim() === "") return err({ kind: "empty-task" });
  if (!Number.isInteger(options.turnsMax) || options.turnsMax < 1)
    return err({ kind: "bad-turns", turnsMax: options.turnsMax });
  if (options.model === null) return err({ kind: "no-model", roles: [] });
  const provider = await openModel(surroundings, options.model);
  if (!provider.ok) return err({ kind: "bad-model", name: options.model, message: provider.error });
  const root = await files.realPath(cwd);
  if (!root.ok) return root;
  const claimed = await claimRun(surroundings, root.value);
  if (!claimed.ok) return claimed;
  const { id, directories } = claimed.value;
  const agent = asAgentId("a0");
  const transcript = join(directories.agents, `${agent}.jsonl`);
  const record = await openSessionLog(files, transcript, { agent, parent: null });
  if (!record.ok) return record;
  watcher.onStart({ runId: id, provider: provider.value, directory: root.value, transcript });
  const spillDirectory = join(directories.agents, `${agent}.outputs`);
  const tools = {
    files,
    processes,
    clock,
    root: root.value,
    rgPath: await ripgrepPath(),
    environment: shellEnvironment(env),
    spillDirectory,
  };
  const startedMs = clock.monotonicMs();
  const result = await runAgent(
    {
      agent,
      role: "solo",
      task: null,
      taskKeys: [],
      system,
      messages: [{ role: "user", text: options.task }],
      messagesRecorded: 0,
      firstTurn: 0,
      tools: [...readOnlyTools(tools), ...editingTools(tools)],
      limits: { ...AGENT_LIMITS, turnsMax: options.turnsMax },
    },
    {
      provider: provider.value,
      clock,
      record: record.value,
      spill: spillTo(files, spillDirectory),
      signal: watcher.signal,
      onEvent: (event) => watcher.onEvent(event),
    },
  );
  await record.value.close();
  return ok({ runId: id, provider: provider.value, result, wallMs: clock.monotonicMs() - startedMs, transcript });
}
