// One simulated operating-system process: what it holds ends with it. After its end its calls never answer and change nothing,
// so code of a killed process that a test still holds cannot reach the world any more.

import type { SeededRandom } from "./random.ts";

/** Extra turns of the microtask queue an operation may take, so that one seed interleaves tasks unlike another. */
const hopsMax = 3;

export interface Life {
  readonly alive: boolean;
  /** Runs `undo` when the process ends; the returned function takes that back. */
  onEnd(undo: () => void): () => void;
  end(): void;
  /** One system call: `work` happens at one instant, some turns after the call and some before the answer. */
  call<T>(work: () => T): Promise<T>;
}

export function startLife(random: SeededRandom): Life {
  const undos = new Set<() => void>();
  let alive = true;

  async function hops(): Promise<void> {
    for (let left = random.integer(hopsMax + 1); left > 0; left--) await undefined;
    if (!alive) await never();
  }

  return {
    get alive() {
      return alive;
    },
    onEnd(undo) {
      undos.add(undo);
      return () => undos.delete(undo);
    },
    end() {
      if (!alive) return;
      alive = false;
      for (const undo of [...undos]) undo();
      undos.clear();
    },
    async call(work) {
      await hops();
      const value = work();
      await hops();
      return value;
    },
  };
}

export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
