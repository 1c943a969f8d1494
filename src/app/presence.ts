// The registry of sessions as the command uses it: where it lies, how processes are looked at, what this process may say of itself.

import { nodeProcessTable } from "../adapters/node/process-table.ts";
import { syncFiles } from "../adapters/node/sync-files.ts";
import { ok, type Result } from "../base/result.ts";
import type { ProcessTable } from "../host/process-table.ts";
import { outputOf } from "../sessions/presence/program-output.ts";
import type { Recording } from "../sessions/presence/record-event.ts";
import { Registry } from "../sessions/presence/registry.ts";
import { configPath, presenceSettings } from "../sessions/settings.ts";
import { type NoStateRoot, stateRoot } from "../sessions/state-root.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

export interface Presence {
  readonly registry: Registry;
  readonly processes: ProcessTable;
  /** The state directory. */
  readonly root: string;
}

export async function openPresence({
  env,
  platform,
}: Pick<Surroundings, "env" | "platform">): Promise<Result<Presence, NoStateRoot>> {
  const root = stateRoot(env, platform);
  if (!root.ok) return root;
  return ok({
    registry: new Registry(syncFiles, root.value),
    processes: await nodeProcessTable(platform),
    root: root.value,
  });
}

const configBytesMax = 256 * 1024;

/** What a record of this process's own events is made with. `agentPid` is where the search for the agent's process begins. */
export async function recordingOf(
  surroundings: Surroundings,
  { registry, processes }: Presence,
  agentPid: number,
): Promise<Recording> {
  const { host, env, processId } = surroundings;
  const path = configPath(env);
  const bytes = path === null ? null : await host.files.read(path, configBytesMax);
  const { HOME = "/", PATH = "/usr/bin:/bin" } = shellEnvironment(env);
  return {
    registry,
    processes,
    tools: {
      files: registry.files,
      programOutput: outputOf(host),
      environment: { HOME, PATH },
    },
    settings: presenceSettings(bytes?.ok ? Buffer.from(bytes.value).toString("utf8") : null),
    now: host.clock.now(),
    unique: `${processId}-${host.random.letters(8)}`,
    parentPid: agentPid,
    terminal: { tmux: env.TMUX_PANE === undefined ? null : `${env.TMUX_PANE} ${env.TMUX?.split(",")[0] ?? ""}`.trim() },
  };
}
