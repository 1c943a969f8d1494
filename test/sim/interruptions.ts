// The demo's swarm through one interruption after another, each at its virtual time, to its end: processes die, the power goes, a
// person stops the run; whatever is gone is started again from what is on the disk.

import { unwrap } from "../../src/base/result.ts";
import type { StoredRecord } from "../../src/log/log.ts";
import type { Provider } from "../../src/model/provider.ts";
import type { CoordinatorOptions } from "../../src/swarm/coordinator/context.ts";
import type { RunEnd } from "../../src/swarm/coordinator/contract.ts";
import type { SimHost } from "../../src/testing/sim/host.ts";
import { seededRandom } from "../../src/testing/sim/random.ts";
import {
  beginDemo,
  type DemoHost,
  type DemoSwarm,
  demoMachine,
  directories,
  resumeDemo,
  storeDirectory,
} from "./demo-swarm.ts";
import { answeredTurns } from "./reading.ts";

export type Fault =
  | "host"
  | "coordinator"
  | "both"
  | "power"
  | "stop"
  | "stop now"
  /** What agents write is refused, until the run has stopped; `all`: the log's records too. */
  | "full disk"
  | "full disk for all"
  /** The provider refuses the key, until the run has stopped. */
  | "provider";

export interface Interruption {
  /** Since the one before, or the run's beginning. */
  readonly afterMs: number;
  readonly fault: Fault;
}

export interface Outcome {
  readonly demo: DemoSwarm;
  readonly end: RunEnd;
  readonly records: readonly StoredRecord[];
  /** Interruptions that came before the run's end. */
  readonly met: readonly Fault[];
  /** `agent turn` of each request that was made although its answer was in the transcript. */
  readonly askedAgain: readonly string[];
  /** Names of the workspaces that are left. */
  readonly workspaces: readonly string[];
}

const virtualMsMax = 300_000;
const bytesMax = 10 * 1024 * 1024;
const bootPath = "/proc/sys/kernel/random/boot_id";
/** Until somebody has started the run again. */
const restartMsMax = 400;

export async function runThrough(
  seed: number,
  interruptions: readonly Interruption[],
  options: Partial<CoordinatorOptions> = {},
): Promise<Outcome> {
  const course = new Course(await demoMachine({ seed, flushMsMax: 10 }), seed, {
    attemptsMax: interruptions.length + 1,
    ...options,
  });
  await course.begin();
  const met: Fault[] = [];
  for (const { afterMs, fault } of interruptions) {
    if (await course.isOverAfter(afterMs)) break;
    await course.meet(fault);
    met.push(fault);
  }
  return { ...(await course.toEnd()), met };
}

class Course {
  /** A process beside the run's, which only looks. */
  private observer: SimHost;
  private readonly random: ReturnType<typeof seededRandom>;
  private readonly options: Partial<CoordinatorOptions>;
  private readonly askedAgain: string[] = [];
  private refusesKey = false;
  private demo: DemoSwarm | null = null;
  private host: DemoHost | null = null;
  private hosts = 0;
  private boots = 0;

  constructor(observer: SimHost, seed: number, options: Partial<CoordinatorOptions>) {
    this.observer = observer;
    this.random = seededRandom(seed, "interruptions");
    this.options = options;
  }

  async begin(): Promise<void> {
    await this.boot();
    this.demo = await beginDemo(this.observer.newProcess(), this.demoOptions());
    this.startHost();
  }

  async isOverAfter(ms: number): Promise<boolean> {
    const over = this.current().coordinator.done.then(() => true);
    return this.observer.run(Promise.race([over, this.observer.clock.sleep(ms).then(() => false)]), { virtualMsMax });
  }

  async meet(fault: Fault): Promise<void> {
    const { sim, coordinator } = this.current();
    switch (fault) {
      case "host":
        this.host?.process.kill();
        return this.startHost();
      case "coordinator":
        sim.kill();
        break;
      case "both":
        this.host?.process.kill();
        sim.kill();
        break;
      case "power":
        this.observer = this.observer.powerLoss();
        await this.boot();
        break;
      case "stop":
      case "stop now":
        await this.observer.run(coordinator.stop("enough", fault === "stop" ? "graceful" : "now"), { virtualMsMax });
        await this.observer.run(coordinator.close());
        sim.kill();
        break;
      case "full disk":
      case "full disk for all":
      case "provider":
        break;
    }
    if (fault === "full disk" || fault === "full disk for all") await this.fillDisk(fault === "full disk for all");
    if (fault === "provider") {
      this.refusesKey = true;
      await this.untilStopped();
      this.refusesKey = false;
    }
    await this.observer.run(this.observer.clock.sleep(this.random.unit() * restartMsMax));
    this.demo = await resumeDemo(this.observer.newProcess(), this.demoOptions());
    this.startHost();
  }

  async toEnd(): Promise<Omit<Outcome, "met">> {
    const demo = this.current();
    const end = await this.observer.run(demo.coordinator.done, { virtualMsMax });
    if (this.host !== null) await this.observer.run(this.host.served, { virtualMsMax });
    await this.observer.run(demo.coordinator.close());
    const left = unwrap(await this.observer.files.list(directories.workspaces, 1_000), "workspaces");
    const { askedAgain } = this;
    return { demo, end, records: await demo.records(), askedAgain, workspaces: left.map(({ name }) => name) };
  }

  private async fillDisk(all: boolean): Promise<void> {
    const { disk } = this.observer;
    const ours = (path: string) => path.startsWith(directories.agents) || path.startsWith(directories.workspaces);
    for (const op of ["append", "write", "copy", "makeDirectory"] as const)
      disk.failNext({
        op,
        code: "no-space",
        afterBytes: this.random.integer(200),
        path: (path) => ours(path) || (all && path.startsWith(storeDirectory)),
        times: Number.POSITIVE_INFINITY,
      });
    await this.untilStopped();
    disk.clearFaults();
  }

  /** It stops by itself, and in order; only one that had nothing left to write or to ask may have finished. */
  private async untilStopped(): Promise<void> {
    const { sim, coordinator } = this.current();
    const end = await this.observer.run(coordinator.done, { virtualMsMax });
    if (end.state === "failed") throw new Error(`the run failed: ${end.reason}`);
    if (this.host !== null) await this.observer.run(this.host.served, { virtualMsMax });
    await this.observer.run(coordinator.close());
    sim.kill();
  }

  private current(): DemoSwarm {
    if (this.demo === null) throw new Error("the run has begun");
    return this.demo;
  }

  private startHost(): void {
    this.hosts += 1;
    this.host = this.current().startHost(`host-${this.hosts}`);
  }

  /** The machine's start has a name of its own, as Linux gives it. */
  private async boot(): Promise<void> {
    this.boots += 1;
    await this.observer.files.makeDirectory("/proc/sys/kernel/random");
    unwrap(await this.observer.files.write(bootPath, Buffer.from(`boot-${this.boots}\n`)), "boot");
  }

  private demoOptions() {
    return { coordinator: this.options, watch: (script: Provider) => this.watched(script) };
  }

  private watched(script: Provider): Provider {
    const look = async (agent: string): Promise<readonly number[]> => {
      const read = await this.observer.files.read(`${directories.agents}/${agent}.jsonl`, bytesMax);
      return read.ok ? answeredTurns(Buffer.from(read.value).toString("utf8")) : [];
    };
    const { askedAgain } = this;
    const isRefused = () => this.refusesKey;
    return {
      ...script,
      // What a script says of an error is final; this stands for a provider.
      scripted: false,
      async *request(request, signal) {
        if (isRefused()) {
          const error = { kind: "model", code: "unauthorized", message: "no such key", retryAfterMs: null } as const;
          return yield { kind: "error", error };
        }
        const { agent, turn } = request.context;
        if ((await look(agent)).includes(turn)) askedAgain.push(`${agent} ${turn}`);
        yield* script.request(request, signal);
      },
    };
  }
}
