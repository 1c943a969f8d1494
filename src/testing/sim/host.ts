// A simulated machine from one seed: disk, sockets, locks, programs and virtual time, and as many processes on it as a test wants.
// The same seed and the same calls give the same run.

import type { Host } from "../../host/host.ts";
import { simClock, simEpochMs } from "./clock.ts";
import { Disk } from "./disk/disk.ts";
import { dumpDisk } from "./disk/dump.ts";
import { type ArmedFault, Faults } from "./disk/faults.ts";
import { simFiles } from "./disk/files.ts";
import { type Life, startLife } from "./life.ts";
import { type LockTable, simLocks } from "./locks.ts";
import { type RunOptions, type VirtualLoop, virtualLoop } from "./loop.ts";
import { type NetTable, simNet } from "./net.ts";
import { type SimProgram, simProcesses } from "./processes.ts";
import { seededRandom } from "./random.ts";

export interface SimDisk {
  /**
   * Power loss: keeps what was flushed and a seeded, possibly torn prefix of what was not. Open handles, locks, listeners,
   * connections and children vanish. Hosts stay usable, as after a restart; `powerLoss` also stops the code that used them.
   */
  crash(): void;
  /** Makes the next matching operation fail. */
  failNext(fault: ArmedFault): void;
  /** Disarms every fault. */
  clearFaults(): void;
  /** Every path with its kind, execute bit and content's hash, sorted: for comparing whole disks. */
  dump(): readonly string[];
}

export interface SimHost extends Host {
  readonly disk: SimDisk;
  /** What can be spawned, by name: `sim.programs.set("bash", async (call) => 0)`. Shared by the machine's processes. */
  readonly programs: Map<string, SimProgram>;
  /**
   * Drives virtual time until the promise settles. Throws, naming the pending timers, on a deadlock or past the time limit.
   * File and lock calls need no time and may be awaited outside.
   */
  run<T>(promise: Promise<T>, options?: RunOptions): Promise<T>;
  /** Another process on the same machine. */
  newProcess(): SimHost;
  /** `kill -9` of this process: the disk keeps everything, locks and connections go, its calls never answer again. */
  kill(): void;
  /** Kills every process and crashes the disk; returns a process started after it. */
  powerLoss(): SimHost;
}

export interface SimOptions {
  readonly seed: number;
  /** Longest virtual time of one flush, in milliseconds; each takes a seeded part of it. Default 0: flushes need no `run`. */
  readonly flushMsMax?: number;
  /** A power loss may lose any part of what was not flushed, not only the end of it. Default false. */
  readonly reorders?: boolean;
}

const firstPid = 1000;

interface Machine {
  readonly options: SimOptions;
  readonly loop: VirtualLoop;
  readonly disk: Disk;
  readonly faults: Faults;
  readonly locks: LockTable;
  readonly net: NetTable;
  readonly programs: Map<string, SimProgram>;
  readonly processes: Set<Life>;
  readonly children: Set<Life>;
  processCount: number;
}

export function simHost(options: SimOptions): SimHost {
  const loop = virtualLoop();
  return startProcess({
    options,
    loop,
    disk: new Disk(() => simEpochMs + loop.nowMs, seededRandom(options.seed, "disk"), options.reorders),
    faults: new Faults(),
    locks: new Map(),
    net: { listening: new Map(), endpoints: new Set() },
    programs: new Map(),
    processes: new Set(),
    children: new Set(),
    processCount: 0,
  });
}

function startProcess(machine: Machine): SimHost {
  const number = ++machine.processCount;
  const life = liveOn(machine, machine.processes, number);
  const ports = portsOf(machine, life, number);
  return {
    ...ports,
    locks: simLocks(machine.disk, machine.locks, life),
    net: simNet({ ...machine, table: machine.net, life, random: seededRandom(machine.options.seed, `net ${number}`) }),
    processes: simProcesses({
      disk: machine.disk,
      programs: machine.programs,
      life,
      nextPid: () => firstPid + machine.processCount,
      startProgram() {
        const child = ++machine.processCount;
        const childLife = liveOn(machine, machine.children, child);
        return { life: childLife, ...portsOf(machine, childLife, child) };
      },
      fail: (error) => machine.loop.fail(error),
    }),
    random: seededRandom(machine.options.seed, `random ${number}`),
    disk: controlsOf(machine),
    programs: machine.programs,
    run: (promise, options) => machine.loop.run(promise, options),
    newProcess: () => startProcess(machine),
    kill: () => life.end(),
    powerLoss() {
      for (const process of [...machine.processes]) process.end();
      crash(machine);
      return startProcess(machine);
    },
  };
}

function portsOf(machine: Machine, life: Life, number: number): Pick<Host, "files" | "clock"> {
  const { disk, faults, loop, options } = machine;
  const flushMsMax = options.flushMsMax ?? 0;
  const random = seededRandom(options.seed, `flush ${number}`);
  const flushTime = async () => {
    if (flushMsMax > 0) await loop.sleep(random.unit() * flushMsMax, "flush");
  };
  return { files: simFiles({ disk, faults, life, flushTime }), clock: simClock(loop, life) };
}

function liveOn(machine: Machine, lives: Set<Life>, number: number): Life {
  const life = startLife(seededRandom(machine.options.seed, `process ${number}`));
  lives.add(life);
  life.onEnd(() => lives.delete(life));
  return life;
}

function controlsOf(machine: Machine): SimDisk {
  return {
    crash: () => crash(machine),
    failNext: (fault) => machine.faults.arm(fault),
    clearFaults: () => machine.faults.clear(),
    dump: () => dumpDisk(machine.disk),
  };
}

function crash(machine: Machine): void {
  for (const child of [...machine.children]) child.end();
  for (const endpoint of [...machine.net.endpoints]) endpoint.drop();
  machine.net.endpoints.clear();
  machine.net.listening.clear();
  machine.locks.clear();
  machine.disk.crash();
}
