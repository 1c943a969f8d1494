// A worker host's process: opens the models it was told of, then serves until the run ends.

import { asHostId } from "../base/ids.ts";
import { err, type Result } from "../base/result.ts";
import { serveWorkerHost } from "../swarm/host/worker-host.ts";
import { type HostSettingsLine, readHostSettings } from "./host-settings.ts";
import { fromWire } from "./model-wire.ts";
import { type Models, openModels } from "./models.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { openPlanned } from "./sandbox.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

/** Checks at once: more than the cores of a small machine only makes each of them slower. */
const checksAtOnce = 2;
const checkMsMax = 600_000;

export interface WorkerHostArguments {
  readonly socketPath: string;
  readonly hostId: string;
  /** See `readHostSettings`. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Tells the person something that ends nothing. */
  readonly onNote: (text: string) => void;
}

export async function runWorkerHost(
  surroundings: Surroundings,
  { socketPath, hostId, input, onNote }: WorkerHostArguments,
): Promise<Result<void, string>> {
  const settings = await readHostSettings(input);
  if (!settings.ok) return settings;
  const { directories, ignoreTexts, overlay } = settings.value;
  const sandbox = settings.value.sandbox === null ? null : await openPlanned(surroundings, settings.value.sandbox);
  // It was there when the run began: nothing runs outside of it because it is gone.
  if (sandbox?.kind === "none") return err(`the sandbox cannot be opened: ${sandbox.reason}`);
  const models = modelsOf(surroundings, settings.value, onNote);
  const served = await serveWorkerHost({
    directories,
    ignoreTexts,
    secrets: settings.value.secrets,
    host: surroundings.host,
    hostId: asHostId(hostId),
    socketPath,
    providers: (name, hooks) => models.open(name, hooks),
    rgPath: ripgrepPath(),
    shellEnvironment: shellEnvironment(surroundings.env),
    ...(sandbox?.kind === "held" ? { sandbox: sandbox.sandbox } : {}),
    workspaceGit: true,
    overlay,
    onNote,
    checksAtOnce,
    checkMsMax,
  });
  await models.close();
  return served;
}

function modelsOf({ host }: Surroundings, settings: HostSettingsLine, onNote: (text: string) => void): Models {
  const { models, limits, record, directories } = settings;
  return openModels({
    host,
    models: models.map(fromWire),
    limits,
    places: { run: directories.run },
    record: record === null ? null : { directory: record, onNote },
  });
}
