// Seeded randomness: one seed and one label give one sequence, so that draws of one kind do not shift those of another.
// Generator: sfc32 of PractRand (Chris Doty-Humphrey), 128 bits of state, started from a SHA-256 and warmed up as its author advises.

import { createHash } from "node:crypto";
import { assert } from "./assert.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const warmUpRounds = 12;

export interface SeededRandom {
  /** `count` characters of a-z2-7 (5 bits each). */
  letters(count: number): string;
  /** Uniform in [0, 1). */
  unit(): number;
  /** Uniform in 0 … `below` - 1. */
  integer(below: number): number;
}

export function seededRandom(seed: number | string, label: string): SeededRandom {
  const next = sfc32(createHash("sha256").update(`${seed}/${label}`).digest());
  // 53 bits, so that every double of the usual grid can appear.
  const unit = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  return {
    unit,
    integer(below) {
      assert(below >= 1, "an integer is drawn from a range that is not empty");
      return Math.floor(unit() * below);
    },
    letters: (count) => Array.from({ length: count }, () => ALPHABET.charAt(next() >>> 27)).join(""),
  };
}

function sfc32(state: Buffer): () => number {
  let a = state.readUInt32LE(0);
  let b = state.readUInt32LE(4);
  let c = state.readUInt32LE(8);
  let counter = 1;
  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  for (let round = 0; round < warmUpRounds; round++) next();
  return next;
}
