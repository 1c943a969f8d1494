// The least that a Node process can do for one writer: take bytes from a socket, write them durably, answer. What a store does more
// than this is its own; what it cannot be faster than is the machine's way of waking threads and processes.
// As a program (`node bare.ts <socket> <file>`) it is that process.

import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, open, rmSync, write } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

/** As many bytes a request as one writer's commit has on the average. */
const requestBytes = 8 * 1024;
const file = import.meta.filename;

/** Answers a second to one client that waits for each. */
export async function bareRate(directory: string, seconds: number): Promise<number> {
  const socket = join(directory, "bare.sock");
  const written = join(directory, "bare");
  const server = fork(file, [socket, written]);
  try {
    await once(server, "message");
    return await asked(socket, seconds);
  } finally {
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
    for (const path of [socket, written]) rmSync(path, { force: true });
  }
}

async function asked(path: string, seconds: number): Promise<number> {
  const socket = connect(path);
  const request = Buffer.alloc(requestBytes, 1);
  let answers = 0;
  socket.on("data", () => {
    answers += 1;
    socket.write(request);
  });
  await once(socket, "connect");
  socket.write(request);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const [before, start] = [answers, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const rate = ((answers - before) * 1_000) / (performance.now() - start);
  socket.destroy();
  return rate;
}

function serve(socketPath: string, path: string): void {
  const { O_WRONLY, O_CREAT, O_APPEND, O_DSYNC } = constants;
  open(path, O_WRONLY | O_CREAT | O_APPEND | O_DSYNC, (failed, descriptor) => {
    if (failed !== null) throw failed;
    const server = createServer((socket) => {
      let arrived = 0;
      socket.on("error", () => socket.destroy());
      socket.on("data", (bytes: Buffer) => {
        arrived += bytes.length;
        if (arrived < requestBytes) return;
        arrived -= requestBytes;
        write(descriptor, Buffer.alloc(requestBytes, 2), (problem) => {
          if (problem !== null) throw problem;
          socket.write("ok");
        });
      });
    });
    server.listen(socketPath, () => process.send?.("ready"));
  });
}

const [socketPath, path] = process.argv.slice(2);
if (process.argv[1] === file && socketPath !== undefined && path !== undefined) serve(socketPath, path);
