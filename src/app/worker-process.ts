// The worker host's process: started beside the coordinator, started again when it dies, ended with the run.

import { err, ok, type Result } from "../base/result.ts";
import { cleanText } from "../base/text.ts";
import type { ChildProcess } from "../host/processes.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

export interface WorkerProcessOptions {
  readonly socketPath: string;
  /** JSON for the worker host's entry: directories and limits. */
  readonly settings: object;
}

export interface WorkerProcess {
  /** Settles when no host could be kept running: with what the last one said. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** A host that dies is replaced; its tasks are leased again. One that keeps dying is a fault to be told. */
const startsMax = 4;
const lastWordsBytesMax = 16 * 1024;

export async function startWorkerProcess(
  surroundings: Surroundings,
  options: WorkerProcessOptions,
): Promise<Result<WorkerProcess, string>> {
  const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
  let stopping = false;
  let child: ChildProcess | null = null;

  const start = async (number: number): Promise<Result<void, string>> => {
    const spawned = await surroundings.host.processes.spawn({
      argv: [
        surroundings.nodePath,
        ...surroundings.workerHost,
        options.socketPath,
        `host-${number}`,
        JSON.stringify(options.settings),
      ],
      cwd: surroundings.cwd,
      env: shellEnvironment(surroundings.env),
      // Its agents' commands lead groups of their own: only it can end them.
      atExit: "SIGTERM",
    });
    if (!spawned.ok) return err(spawned.error.message);
    child = spawned.value;
    child.endInput();
    void watch(spawned.value, number);
    return ok(undefined);
  };

  const watch = async (host: ChildProcess, number: number): Promise<void> => {
    const [words] = await Promise.all([lastWords(host.stderr), lastWords(host.stdout)]);
    const exit = await host.exit;
    if (stopping) return;
    const how = exit.kind === "code" ? `ended with code ${exit.code}` : `was ended by ${exit.signal}`;
    const told = `the worker host ${how}${words === "" ? "" : `: ${words}`}`;
    if (number >= startsMax) return fail(told);
    const again = await start(number + 1);
    if (!again.ok) fail(again.error);
  };

  const first = await start(1);
  if (!first.ok) return first;
  return ok({
    failed,
    async stop() {
      stopping = true;
      if (child === null) return;
      const host = child;
      const { clock } = surroundings.host;
      const ends = async (graceMs: number): Promise<void> => {
        const patience = new AbortController();
        await Promise.race([host.exit, clock.sleep(graceMs, patience.signal)]);
        patience.abort();
      };
      await ends(stopGraceMs);
      // It ends its agents' commands first; one that hangs cannot.
      host.kill("SIGTERM");
      await ends(termGraceMs);
      host.kill("SIGKILL");
      await host.exit;
    },
  });
}

/** For its agents' commands to end after the run's end was announced. */
const stopGraceMs = 3_000;
const termGraceMs = 1_000;

async function lastWords(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) kept = Buffer.concat([kept, chunk]).subarray(-lastWordsBytesMax);
  return cleanText(kept.toString("utf8").trim(), 4_000);
}
