// Real randomness from the system's generator.

import { randomBytes } from "node:crypto";
import type { Random } from "../../host/random.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

export const nodeRandom: Random = {
  letters: (count) => Array.from(randomBytes(count), (byte) => ALPHABET.charAt(byte & 31)).join(""),
  unit: () => Math.random(),
};
