// A figure of a run, with how it is known: read off what was written (measured), calculated from such (derived), or not known.
// What is not known has no number, so that nobody takes it for 0.

import { z } from "zod";

export type Figure =
  | { readonly value: number; readonly status: "measured" | "derived" }
  | { readonly value: null; readonly status: "unavailable" };

export const UNAVAILABLE: Figure = { value: null, status: "unavailable" };

export const measured = (value: number): Figure => ({ value, status: "measured" });
export const derived = (value: number): Figure => ({ value, status: "derived" });

export const FIGURE = z.union([
  z.strictObject({ value: z.number(), status: z.enum(["measured", "derived"]) }),
  z.strictObject({ value: z.null(), status: z.literal("unavailable") }),
]);

export type FigureUnit = "ms" | "count" | "tokens" | "usd" | "ratio" | "chars" | "files";

export interface FigureSpec {
  readonly label: string;
  readonly unit: FigureUnit;
  /** How it comes about, for whoever reads a table. */
  readonly about: string;
}

/** In the order in which tables show them. */
export const FIGURES = {
  wallMs: { label: "wall time", unit: "ms", about: "from the agent's first step to its last, as the run says" },
  waitingMs: { label: "waiting for the model", unit: "ms", about: "time in which at least one model request was open" },
  workingMs: { label: "working", unit: "ms", about: "wall time without the waiting for the model" },
  queuedMs: {
    label: "queued before sending",
    unit: "ms",
    about: "sum over all requests of the time in limiters and pauses",
  },
  processMs: { label: "process", unit: "ms", about: "from starting the program to its end" },
  requests: { label: "model requests", unit: "count", about: "all agents, failed ones included" },
  requestsParent: { label: "model requests, parent", unit: "count", about: "the first agent's" },
  requestsChildren: { label: "model requests, children", unit: "count", about: "all other agents'" },
  inputTokens: { label: "input tokens", unit: "tokens", about: "cached ones included" },
  inputTokensParent: { label: "input tokens, parent", unit: "tokens", about: "the first agent's" },
  inputTokensChildren: { label: "input tokens, children", unit: "tokens", about: "all other agents'" },
  cachedTokens: { label: "cached tokens", unit: "tokens", about: "of the input, read from the provider's cache" },
  cachedTokensParent: { label: "cached tokens, parent", unit: "tokens", about: "the first agent's" },
  cachedTokensChildren: { label: "cached tokens, children", unit: "tokens", about: "all other agents'" },
  outputTokens: { label: "output tokens", unit: "tokens", about: "all agents" },
  outputTokensParent: { label: "output tokens, parent", unit: "tokens", about: "the first agent's" },
  outputTokensChildren: { label: "output tokens, children", unit: "tokens", about: "all other agents'" },
  costUsd: { label: "cost", unit: "usd", about: "all agents" },
  costUsdParent: { label: "cost, parent", unit: "usd", about: "the first agent's" },
  costUsdChildren: { label: "cost, children", unit: "usd", about: "all other agents'" },
  peakContextTokens: { label: "peak context", unit: "tokens", about: "most input and output tokens of one request" },
  peakContextTokensParent: { label: "peak context, parent", unit: "tokens", about: "of the first agent" },
  peakContextTokensChildren: { label: "peak context, children", unit: "tokens", about: "of any other agent" },
  calls: { label: "tool calls", unit: "count", about: "all agents, delegations included" },
  callsPerResponseMax: { label: "most calls of one response", unit: "count", about: "all agents" },
  delegations: { label: "delegations", unit: "count", about: "children that started" },
  delegationsPerResponseMax: { label: "most delegations of one response", unit: "count", about: "all agents" },
  delegationSpanMs: {
    label: "delegation span",
    unit: "ms",
    about: "from the first child's start to the last one's end",
  },
  delegationSumMs: {
    label: "children's time, sum",
    unit: "ms",
    about: "each child from its start to its end, added up",
  },
  delegationLongestMs: { label: "longest child", unit: "ms", about: "from its start to its end" },
  overlapRatio: {
    label: "overlap",
    unit: "ratio",
    about: "sum of the children's time by span: 1 is one after another",
  },
  peakConcurrency: { label: "children at once", unit: "count", about: "the most that ran at one moment" },
  childResultCharsMin: { label: "shortest child result", unit: "chars", about: "what a child's last words are long" },
  childResultCharsMax: { label: "longest child result", unit: "chars", about: "what a child's last words are long" },
  filesReadAgain: {
    label: "files read again",
    unit: "files",
    about: "files that the first agent read after a child that had read them was done",
  },
} as const satisfies Record<string, FigureSpec>;

export type FigureName = keyof typeof FIGURES;

export const FIGURE_NAMES: readonly FigureName[] = Object.keys(FIGURES).filter(isFigureName);

function isFigureName(name: string): name is FigureName {
  return Object.hasOwn(FIGURES, name);
}
