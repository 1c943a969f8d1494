// Seeded randomness for simulations: the same generator that seeded runs of the program use.

export { type SeededRandom, seededRandom } from "../../base/seeded-random.ts";
