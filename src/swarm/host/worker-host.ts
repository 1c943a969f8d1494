// A worker host: many agents as async tasks in one process, assigned over the socket by the coordinator. It owns nothing that
// cannot be lost: when it dies its leases end, and the workspaces it leaves are kept.

import type { AgentId, HostId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Host } from "../../host/host.ts";
import { answers, coordinatorNotice, type Job, protocolVersion } from "../../protocol/messages.ts";
import { openPeer } from "../../protocol/peer.ts";
import { openBlobCache } from "../../vcs/workspace/blob-cache.ts";
import { openHostBases } from "./bases.ts";
import { AskFailed, CoordinatorClient, CoordinatorLost } from "./client.ts";
import type { HostEnvironment, HostSettings, ProviderFactory } from "./environment.ts";
import { Gate } from "./gate.ts";
import { removeLeftovers } from "./leftovers.ts";
import { openHostOverlays } from "./overlays.ts";
import { runJob } from "./run-job.ts";

export interface WorkerHostOptions extends HostSettings {
  readonly host: Host;
  readonly hostId: HostId;
  readonly socketPath: string;
  readonly providers: ProviderFactory;
}

/** Hundreds of workers may be given their tasks in one moment. */
const workspacesMadeAtOnceMax = 8;

/** Serves until the coordinator ends the run or the connection is lost; answers with why it could not start, if so. */
export async function serveWorkerHost(options: WorkerHostOptions): Promise<Result<void, string>> {
  const connection = await options.host.net.connect(options.socketPath);
  if (!connection.ok) return err(`the coordinator cannot be reached: ${connection.error.message}`);
  const running = new Map<AgentId, AbortController>();
  const jobs = new Set<Promise<void>>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const hold = new AbortController();
  let isOver = false;
  let fault: string | null = null;
  const stopAll = (): void => {
    isOver = true;
    for (const controller of running.values()) controller.abort();
    end();
  };
  const peer = openPeer(connection.value, {
    onAsk: async () => {
      throw new Error("a worker host answers no questions");
    },
    onNotice: (body) => {
      const notice = parse(coordinatorNotice, body, "notice");
      // What it was assigned and cannot read would stay leased to it for ever: it leaves instead.
      if (!notice.ok) {
        fault = `the coordinator sent what this host cannot read: ${notice.error.message}`;
        return peer.close();
      }
      if (notice.value.kind === "assign") start(notice.value.job);
      else if (notice.value.kind === "hold") hold.abort(notice.value.reason);
      else if (notice.value.kind === "cancel") running.get(notice.value.agent)?.abort();
      else stopAll();
    },
    onClose: stopAll,
  });
  const client = new CoordinatorClient(peer);
  const shared = {
    cache: openBlobCache({ files: options.host.files, directory: options.directories.blobs }),
    bases: openHostBases(options),
  };
  const environment: HostEnvironment = {
    ...options,
    ...shared,
    client,
    checks: new Gate(options.checksAtOnce),
    making: new Gate(workspacesMadeAtOnceMax),
    hold: hold.signal,
    overlays: await openHostOverlays({ ...options, ...shared, client }),
  };

  function start(job: Job): void {
    if (isOver) return;
    const controller = new AbortController();
    running.set(job.lease.agent, controller);
    const done = runJob(environment, job, controller.signal).finally(() => {
      if (running.get(job.lease.agent) === controller) running.delete(job.lease.agent);
      jobs.delete(done);
    });
    jobs.add(done);
  }

  const { workspaces } = options.directories;
  const greeting = { kind: "hello", protocol: protocolVersion, host: options.hostId, workspaces };
  const hello = await peer.ask(greeting, answers.hello);
  if (!hello.ok || hello.value.kind === "refused") peer.close();
  if (!hello.ok) return err(`the coordinator does not answer: ${hello.error.message}`);
  if (hello.value.kind === "refused") return err(hello.value.reason);
  jobs.add(tidyUp(environment));
  const beat = beatUntil(options.host, client, hello.value.beatMs, over);
  await over;
  await Promise.all(jobs);
  await environment.overlays?.close();
  await environment.bases?.close();
  await beat;
  peer.close();
  return fault === null ? ok(undefined) : err(fault);
}

/** Beside the work: what cannot be removed now is removed by another host, or never needed. */
async function tidyUp(environment: HostEnvironment): Promise<void> {
  try {
    await removeLeftovers(environment);
  } catch (error) {
    if (!(error instanceof CoordinatorLost || error instanceof AskFailed)) throw error;
  }
}

async function beatUntil(
  { clock }: Host,
  client: CoordinatorClient,
  beatMs: number,
  over: Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  void over.then(() => stop.abort());
  while (!stop.signal.aborted) {
    await clock.sleep(beatMs, stop.signal);
    if (!stop.signal.aborted) client.beat();
  }
}
