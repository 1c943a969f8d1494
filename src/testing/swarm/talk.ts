// A running coordinator and hosts that the test speaks for, on the simulated machine.

import { parse } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import {
  answers,
  type CoordinatorNotice,
  coordinatorNotice,
  type Job,
  protocolVersion,
} from "../../protocol/messages.ts";
import { openPeer, type Peer } from "../../protocol/peer.ts";
import type { Coordinator, CoordinatorPorts } from "../../swarm/coordinator/contract.ts";
import { startCoordinator } from "../../swarm/coordinator/coordinator.ts";
import { type SimHost, simHost } from "../sim/host.ts";
import { openSwarmRig, type SwarmRig, type SwarmRigOptions } from "./rig.ts";

export interface Talk {
  readonly sim: SimHost;
  readonly rig: SwarmRig;
  readonly coordinator: Coordinator;
}

export const goal = "t0";

/** A goal's planner, and a coordinator; `prepare` adds what is there before the hosts come. */
export async function startTalk(
  prepare: (rig: SwarmRig) => Promise<void>,
  { howEnded, ...options }: SwarmRigOptions & Pick<CoordinatorPorts, "howEnded"> = {},
): Promise<Talk> {
  const sim = simHost({ seed: 1 });
  const rig = await openSwarmRig({ "a.txt": "1\n", "b.txt": "1\n" }, options);
  await rig.add(goal, "plan");
  await prepare(rig);
  const { ledger, vcs, guards } = rig.context;
  const ports = {
    ledger,
    vcs,
    guards,
    net: sim.net,
    clock: sim.clock,
    ...(howEnded === undefined ? {} : { howEnded }),
  };
  const started = await startCoordinator(ports, { ...rig.context.options, socketPath: "/s" });
  return { sim, rig, coordinator: unwrap(started, "start") };
}

/** The planner waits for these tasks. */
export async function waitingPlanner(rig: SwarmRig, ...tasks: readonly string[]): Promise<void> {
  for (const task of tasks) await rig.add(task, "work", { parent: goal });
  const lease = await rig.lease(goal);
  await rig.put("task_suspended", lease);
}

export interface TestHost {
  readonly peer: Peer;
  readonly notices: CoordinatorNotice[];
  /** The job of this task, once it is assigned. */
  job(task: string): Promise<Job>;
}

/** A host of this name that says hello and keeps what it is told. */
export async function join({ sim }: Talk, name: string): Promise<TestHost> {
  const notices: CoordinatorNotice[] = [];
  const connection = unwrap(await sim.run(sim.net.connect("/s")), "connect");
  const peer = openPeer(connection, {
    onAsk: async () => null,
    onNotice: (body) => notices.push(unwrap(parse(coordinatorNotice, body, "notice"), "notice")),
    onClose: () => undefined,
  });
  const greeting = { kind: "hello", protocol: protocolVersion, host: name, workspaces: "/w" };
  unwrap(await sim.run(peer.ask(greeting, answers.hello)), "hello");
  const job = async (task: string): Promise<Job> => {
    for (;;) {
      const found = notices.findLast((notice) => notice.kind === "assign" && notice.job.lease.task === task);
      if (found?.kind === "assign") return found.job;
      await sim.clock.sleep(1);
    }
  };
  return { peer, notices, job: (task) => sim.run(job(task), { virtualMsMax: 10_000 }) };
}

/** Lets everything happen that takes no more than flushes. */
export const settle = ({ sim }: Talk) => sim.run(sim.clock.sleep(20));
