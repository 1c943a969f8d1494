// Virtual time. It stands still while any task can go on, then jumps to the earliest timer: a run takes no real time and always
// takes the same course. It holds only for tasks that wait on nothing but the simulated host (no real I/O, no thread pool).

// Bound at import, so that a test's fake timers do not stop the simulation.
import { setImmediate, setTimeout } from "node:timers";
import { assert } from "../../base/assert.ts";

/** Turns of the real event loop after which every task that can go on has done so. */
const idleTurns = 2;
/** A promise that needs the real world after all (a dynamic import, say) gets this long before a deadlock is declared. */
const deadlockGraceMs = 500;
const graceStepMs = 5;
const eventsMax = 5_000_000;
const timersNamedMax = 20;

export interface VirtualTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly label: string;
  readonly fire: () => void;
  cancelled: boolean;
}

export interface RunOptions {
  /** Virtual time after which a run that has not settled is called stuck. Default: 24 hours. */
  readonly virtualMsMax?: number;
}

export interface VirtualLoop {
  /** Virtual milliseconds since the start, fractional. */
  readonly nowMs: number;
  after(ms: number, label: string, fire: () => void): VirtualTimer;
  sleep(ms: number, label: string): Promise<void>;
  run<T>(promise: Promise<T>, options?: RunOptions): Promise<T>;
  /** A bug in simulated code: the current or next `run` rejects with it. */
  fail(error: unknown): void;
}

export function virtualLoop(): VirtualLoop {
  const timers = new TimerQueue();
  let nowMs = 0;
  let order = 0;
  let running = false;
  let failure: { readonly error: unknown } | null = null;

  function after(ms: number, label: string, fire: () => void): VirtualTimer {
    const timer = { dueMs: nowMs + Math.max(0, ms), order: order++, label, fire, cancelled: false };
    timers.add(timer);
    return timer;
  }

  async function run<T>(promise: Promise<T>, options: RunOptions = {}): Promise<T> {
    assert(!running, "one run at a time");
    running = true;
    try {
      await drive(promise, nowMs + (options.virtualMsMax ?? 86_400_000));
    } finally {
      running = false;
    }
    return promise;
  }

  async function drive(promise: Promise<unknown>, endMs: number): Promise<void> {
    const state = watch(promise);
    for (let events = 0; ; events++) {
      await idle();
      if (failure !== null) throw failure.error;
      if (state.settled) return;
      if (timers.first() === null && !(await somethingHappens(() => state.settled || timers.first() !== null))) {
        throw stuck("deadlock: the promise is pending and no timer is left");
      }
      if (state.settled) return;
      const timer = timers.first();
      if (timer === null) continue;
      if (timer.dueMs > endMs) throw stuck("the promise is pending at the end of the allowed virtual time");
      if (events >= eventsMax) throw stuck(`the promise is pending after ${eventsMax} events`);
      timers.removeFirst();
      nowMs = timer.dueMs;
      timer.fire();
    }
  }

  function stuck(what: string): Error {
    const names = timers.pending().map((timer) => `  ${timer.label}, due at ${timer.dueMs.toFixed(3)} ms`);
    const rest = names.length > timersNamedMax ? [`  … and ${names.length - timersNamedMax} more`] : [];
    return new Error(
      [`${what} (now ${nowMs.toFixed(3)} ms)`, "pending timers:", ...names.slice(0, timersNamedMax), ...rest].join(
        "\n",
      ),
    );
  }

  return {
    get nowMs() {
      return nowMs;
    },
    after,
    sleep: (ms, label) => new Promise((resolve) => after(ms, label, resolve)),
    run,
    fail(error) {
      failure ??= { error };
    },
  };
}

/** A binary heap by due time, then by order of creation, which is how real timers fire. Cancelled ones are skipped. */
class TimerQueue {
  private readonly heap: VirtualTimer[] = [];

  add(timer: VirtualTimer): void {
    const { heap } = this;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(at(heap, index), at(heap, parent))) break;
      swap(heap, index, parent);
      index = parent;
    }
  }

  first(): VirtualTimer | null {
    while (this.heap[0]?.cancelled) this.removeFirst();
    return this.heap[0] ?? null;
  }

  removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let index = 0;
    while (true) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && before(at(heap, child), at(heap, least))) least = child;
      }
      if (least === index) return;
      swap(heap, index, least);
      index = least;
    }
  }

  pending(): VirtualTimer[] {
    return this.heap.filter((timer) => !timer.cancelled).sort((a, b) => (before(a, b) ? -1 : 1));
  }
}

function before(a: VirtualTimer, b: VirtualTimer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function at(heap: readonly VirtualTimer[], index: number): VirtualTimer {
  const timer = heap[index];
  assert(timer !== undefined, "a heap index is inside the heap");
  return timer;
}

function swap(heap: VirtualTimer[], a: number, b: number): void {
  [heap[a], heap[b]] = [at(heap, b), at(heap, a)];
}

function watch(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const settle = () => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

async function idle(): Promise<void> {
  for (let turn = 0; turn < idleTurns; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

async function somethingHappens(happened: () => boolean): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < deadlockGraceMs && !happened(); waitedMs += graceStepMs) {
    await new Promise<void>((resolve) => void setTimeout(resolve, graceStepMs));
  }
  return happened();
}
