// The worker host's process: `worker-host <socket> <host id> <settings>`. Started by the coordinator's process, never by a person.

import { nodeHost } from "../adapters/node/host.ts";
import { runWorkerHost } from "../app/worker-host.ts";
import { surroundingsOf } from "./surroundings.ts";

const [socketPath, hostId, settings] = process.argv.slice(2);
if (socketPath === undefined || hostId === undefined || settings === undefined) {
  process.stderr.write("usage: worker-host <socket> <host id> <settings>\n");
  process.exitCode = 2;
} else {
  const end = await runWorkerHost(surroundingsOf(nodeHost()), { socketPath, hostId, settings });
  if (!end.ok) {
    process.stderr.write(`${end.error}\n`);
    process.exitCode = 1;
  }
}
