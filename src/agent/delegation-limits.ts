// What the children of one run may use. Each limit is checked before it could be passed, over the whole tree of agents.

export interface DelegationLimits {
  /** Children that work at the same time, on each level of the tree; others wait for a place. */
  readonly childrenAtOnceMax: number;
  /** Children of the whole run. */
  readonly childrenMax: number;
  /** Levels below the agent that a person started: 1 lets only it delegate. */
  readonly depthMax: number;
  /** Of one child, from its start; milliseconds. */
  readonly childMsMax: number;
  /** Model requests of one child. */
  readonly childTurnsMax: number;
  /** Dollars of one child; null leaves it to the run's budget. */
  readonly childUsdMax: number | null;
  /** UTF-8 bytes of a child's result as its parent sees it. */
  readonly resultBytesMax: number;
  /** `after-first-answer` lets one child of a model ask first, so that the others find its prompt in the provider's cache. */
  readonly start: "together" | "after-first-answer";
}

export const DELEGATION_LIMITS: DelegationLimits = {
  childrenAtOnceMax: 10,
  childrenMax: 100,
  depthMax: 1,
  childMsMax: 1_800_000,
  childTurnsMax: 100,
  childUsdMax: null,
  resultBytesMax: 8_192,
  start: "together",
};
