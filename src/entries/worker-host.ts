// The worker host's process: `worker-host <socket> <host id>`, with its settings as one line of JSON on standard input. Started
// by the coordinator's process, never by a person.

import { nodeHost } from "../adapters/node/host.ts";
import { runWorkerHost } from "../app/worker-host.ts";
import { workerNote } from "../app/worker-process.ts";
import { surroundingsOf } from "./surroundings.ts";

const [socketPath, hostId] = process.argv.slice(2);
if (socketPath === undefined || hostId === undefined) {
  process.stderr.write("usage: worker-host <socket> <host id> < settings\n");
  process.exitCode = 2;
} else {
  const end = await runWorkerHost(surroundingsOf(nodeHost()), {
    socketPath,
    hostId,
    input: process.stdin,
    onNote: (text) => void process.stderr.write(`${workerNote(text)}\n`),
  });
  if (!end.ok) {
    process.stderr.write(`${end.error}\n`);
    process.exitCode = 1;
  }
}
