// Port to randomness: ids, jitter, sampling. A seeded one replays a run.

export interface Random {
  /** `count` characters of a-z2-7 (5 bits each). */
  letters(count: number): string;
  /** Uniform in [0, 1). */
  unit(): number;
}
