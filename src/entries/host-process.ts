// What a worker host's process does; `worker-host.ts` comes here.

import { nodeHost } from "../adapters/node/host.ts";
import { runWorkerHost } from "../app/worker-host.ts";
import { workerNote } from "../app/worker-process.ts";
import { surroundingsOf } from "./surroundings.ts";

const [socketPath, hostId] = process.argv.slice(2);
if (socketPath === undefined || hostId === undefined) {
  process.stderr.write("usage: worker-host <socket> <host id> < settings\n");
  process.exitCode = 2;
} else {
  void serve(socketPath, hostId);
}

async function serve(socket: string, host: string): Promise<void> {
  const end = await runWorkerHost(surroundingsOf(nodeHost()), {
    socketPath: socket,
    hostId: host,
    input: process.stdin,
    onNote: (text) => void process.stderr.write(`${workerNote(text)}\n`),
  });
  if (end.ok) return;
  process.stderr.write(`${end.error}\n`);
  process.exitCode = 1;
}
