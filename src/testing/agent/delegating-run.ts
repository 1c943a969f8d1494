// A run with delegation in a directory, real or simulated, as the program makes it, but with answers that a test gives.

import { join } from "node:path";
import type { DelegationLimits } from "../../agent/delegation-limits.ts";
import { DELEGATION_LIMITS } from "../../agent/delegation-limits.ts";
import type { FamilyEvent } from "../../agent/family-event.ts";
import { runAgent } from "../../agent/loop.ts";
import { lostCallRule } from "../../agent/lost-calls.ts";
import { RunBudget } from "../../agent/run-budget.ts";
import { loadSession } from "../../agent/session-load.ts";
import { openSessionLog } from "../../agent/session-log.ts";
import { AGENT_LIMITS, type AgentResult } from "../../agent/spec.ts";
import { spillTo } from "../../agent/spill.ts";
import { openDelegation } from "../../app/delegation.ts";
import { runDirectories } from "../../app/state-directory.ts";
import { asAgentId } from "../../base/ids.ts";
import { ok, unwrap } from "../../base/result.ts";
import type { Host } from "../../host/host.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, Provider } from "../../model/provider.ts";
import { editingTools, readOnlyTools } from "../../tools/index.ts";
import { type Answering, answeringProvider } from "./family-rig.ts";

export interface DelegatingRun {
  readonly host: Host;
  /** The agents' directory, and the run's own; both absolute. */
  readonly root: string;
  readonly run: string;
  readonly path: string;
  readonly rgPath: string;
  readonly answering: Answering;
  readonly abort?: AbortController;
  readonly limits?: Partial<DelegationLimits>;
  /** Instead of one that gives the answers. */
  readonly provider?: Provider;
  readonly requests?: ModelRequest[];
  readonly onEvent?: (event: FamilyEvent) => void;
}

const agent = asAgentId("a0");

/** From the first request, or from where the run's transcript ends, to the end. */
export async function runDelegating(options: DelegatingRun): Promise<AgentResult> {
  const { host, root, run, path, rgPath, abort = new AbortController() } = options;
  const { files, processes, clock } = host;
  const directories = runDirectories(run);
  for (const directory of [directories.run, directories.agents])
    unwrap(await files.makeDirectory(directory), "directory");
  const provider = options.provider ?? answeringProvider(clock, options.answering, options.requests ?? []);
  const budget = new RunBudget({ clock, budgetUsd: null, minutes: null, requestsMax: null });
  const surroundings = {
    host,
    env: { PATH: path, HOME: run },
    cwd: root,
    processId: 1,
    platform: "linux",
    packageRoot: "/",
    nodePath: "/node",
    workerHost: [],
    temporaryDirectory: "/tmp",
  };
  const spillDirectory = join(directories.agents, "a0.outputs");
  const environment = { PATH: path, HOME: run };
  const toolEnv = { files, processes, clock, root, rgPath, environment, spillDirectory };
  const transcript = join(directories.agents, "a0.jsonl");
  const resumable = ["delegate_task", "wait_task"].map((name) => ({
    spec: { name, description: "", inputSchema: {} },
    effect: "delegate" as const,
    resumable: true,
    run: async () => ({ kind: "text" as const, text: "" }),
  }));
  const loaded = await loadSession(files, transcript, { lostCalls: lostCallRule(resumable) });
  const session = loaded.ok && loaded.value.messages.length > 0 ? loaded.value : null;
  const messages: readonly Message[] = session?.messages ?? [{ role: "user", text: "go" }];
  const record = unwrap(await openSessionLog(files, transcript, { agent, parent: null }), "transcript");
  const delegation = unwrap(
    await openDelegation({
      surroundings,
      directories,
      agent,
      system: "You test.",
      limits: AGENT_LIMITS,
      toolEnv,
      tools: (env) => [...readOnlyTools(env), ...editingTools(env)],
      models: [provider.name],
      openModel: async () => ok(provider),
      budget,
      delegation: { ...DELEGATION_LIMITS, ...options.limits },
      signal: abort.signal,
      onEvent: options.onEvent ?? (() => {}),
      onNote: () => {},
      hooks: null,
      sandbox: { kind: "free" },
      writable: true,
      toolNames: null,
      childContexts: null,
      conversation: messages,
    }),
    "delegation",
  );
  const pending = session?.pending ?? null;
  const result = await runAgent(
    {
      agent,
      parent: null,
      role: "solo",
      task: null,
      taskKeys: [],
      system: "You test.",
      messages,
      messagesRecorded: session === null ? 0 : messages.length,
      firstTurn: session?.turns ?? 0,
      ...(pending === null ? {} : { pending }),
      tools: delegation.tools,
      limits: AGENT_LIMITS,
    },
    {
      provider,
      clock,
      record,
      spill: spillTo(files, spillDirectory),
      signal: abort.signal,
      ...delegation.ports,
    },
  );
  await delegation.close();
  await record.close();
  return result;
}
