// A worker host's process from its arguments: reads the settings, then serves until the run ends.

import { asHostId } from "../base/ids.ts";
import { list, object, parse, text } from "../base/parse.ts";
import { err, type Result } from "../base/result.ts";
import { serveWorkerHost } from "../swarm/host/worker-host.ts";
import { openModel } from "./models.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

const path = text(4_096);

/** What the coordinator's process tells a host on its command line. */
export const hostSettings = object({
  directories: object({ workspaces: path, agents: path, blobs: path }),
  ignoreTexts: list(text(4 * 1024 * 1024), 10),
});

/** Checks at once: more than the cores of a small machine only makes each of them slower. */
const checksAtOnce = 2;
const checkMsMax = 600_000;

export interface WorkerHostArguments {
  readonly socketPath: string;
  readonly hostId: string;
  /** JSON of `hostSettings`. */
  readonly settings: string;
}

export async function runWorkerHost(
  surroundings: Surroundings,
  { socketPath, hostId, settings }: WorkerHostArguments,
): Promise<Result<void, string>> {
  const parsed = parse(hostSettings, readJson(settings), "settings");
  if (!parsed.ok) return err(parsed.error.message);
  return serveWorkerHost({
    ...parsed.value,
    host: surroundings.host,
    hostId: asHostId(hostId),
    socketPath,
    providers: (name) => openModel(surroundings, name),
    rgPath: await ripgrepPath(),
    shellEnvironment: shellEnvironment(surroundings.env),
    workspaceGit: true,
    checksAtOnce,
    checkMsMax,
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
