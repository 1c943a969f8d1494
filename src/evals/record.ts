// `record.json`: what one run did, as facts, read off what the run itself wrote. Nothing in it says whether that was right (`verdict.json`),
// and it is never changed once it is written.

import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import { FIGURE, FIGURE_NAMES, type Figure, type FigureName } from "./figure.ts";

export const recordVersion = 1;

const COUNT = z.number().int().min(0);
/** Milliseconds since the run's first recorded line; null where the thing never began. */
const MS = z.number().nullable();
const TOKENS = z.number().nullable();

/** One model request, failed and aborted ones included. Null is what the provider did not tell. */
const REQUEST = z.strictObject({
  turn: COUNT,
  startMs: MS,
  endMs: MS,
  /** Of it, in limiters and pauses. */
  queuedMs: z.number(),
  attempts: COUNT,
  outcome: z.string(),
  /** The model error's code. */
  error: z.string().nullable(),
  inputTokens: TOKENS,
  cachedTokens: TOKENS,
  outputTokens: TOKENS,
  costUsd: z.number().nullable(),
  calls: COUNT,
  delegations: COUNT,
});

const CALL = z.strictObject({
  turn: COUNT,
  index: COUNT,
  callId: z.string(),
  name: z.string(),
  /** Capped JSON of what it was called with. */
  arguments: z.string(),
  queuedMs: MS,
  startMs: MS,
  endMs: MS,
  outcome: z.string(),
  isError: z.boolean(),
  resultChars: COUNT,
});

const AGENT = z.strictObject({
  id: z.string(),
  parent: z.string().nullable(),
  model: z.string(),
  scripted: z.boolean(),
  tools: z.array(z.string()),
  startMs: MS,
  endMs: MS,
  outcome: z.string().nullable(),
  requests: z.array(REQUEST),
  calls: z.array(CALL),
});

export const RESULT_FORMS = ["bare-value", "list", "report"] as const;

const CHILD_RESULT = z.strictObject({ child: z.string(), chars: COUNT, form: z.enum(RESULT_FORMS) });

const DELEGATION = z.strictObject({
  seq: COUNT,
  callId: z.string(),
  child: z.string().nullable(),
  parent: z.string(),
  concurrent: COUNT.nullable(),
  queuedMs: MS,
  startMs: MS,
  endMs: MS,
  outcome: z.string(),
  context: z.string().nullable(),
});

/** How many responses had so many: `{"1": 3, "4": 1}`. */
const HISTOGRAM = z.record(z.string().regex(/^\d+$/), COUNT);

const ENDING = z.strictObject({
  /** Null where a signal ended the program, or it never started. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** As `skein run` names it; null where it named none. */
  outcome: z.string().nullable(),
  /** Code of the model error that ended it. */
  error: z.string().nullable(),
  detail: z.string(),
  /** The suite's time limit ended it. */
  timedOut: z.boolean(),
});

/** `kept`: what it left could not be read; `results`: files of the results were changed while it ran. */
const FAULT = z.strictObject({ kind: z.enum(["start", "call", "transcript", "kept", "results"]), detail: z.string() });

export const figuresSchema = z.custom<Readonly<Record<FigureName, Figure>>>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    FIGURE_NAMES.every((name) => FIGURE.safeParse(Reflect.get(value, name)).success),
  "a figure with value and status is needed for each name",
);

const RECORD = z.strictObject({
  version: z.literal(recordVersion),
  suite: z.string(),
  task: z.string(),
  condition: z.string(),
  /** From 1. */
  repetition: COUNT,
  seed: z.string(),
  askedModel: z.string(),
  /** All that the program was started with, but the instruction. */
  flags: z.array(z.string()),
  /** Of the agents' transcripts, each once. */
  models: z.array(z.string()),
  scripted: z.boolean(),
  skeinVersion: z.string(),
  /** Milliseconds since the epoch. */
  startedAtMs: z.number(),
  /** The zero of all `…Ms` of agents and delegations, since the epoch; null where nothing was recorded. */
  zeroAtMs: z.number().nullable(),
  ending: ENDING,
  /** All of standard output; cut where it is longer than `answerCharsMax`. */
  answer: z.string(),
  answerChars: COUNT,
  figures: figuresSchema,
  callsPerResponse: HISTOGRAM,
  delegationsPerResponse: HISTOGRAM,
  agents: z.array(AGENT),
  delegations: z.array(DELEGATION),
  childResults: z.array(CHILD_RESULT),
  filesReadAgain: z.array(z.string()),
  /** What was broken around the run: it is then no evidence about the model. */
  faults: z.array(FAULT),
});

export type RunRecord = Readonly<z.infer<typeof RECORD>>;
export type AgentRecord = RunRecord["agents"][number];
export type RequestRecord = AgentRecord["requests"][number];
export type CallRecord = AgentRecord["calls"][number];
export type DelegationFacts = RunRecord["delegations"][number];
export type ResultForm = (typeof RESULT_FORMS)[number];
export type Histogram = RunRecord["callsPerResponse"];
export type Ending = RunRecord["ending"];
export type Fault = RunRecord["faults"][number];

/** UTF-16 units. */
export const answerCharsMax = 200_000;

export function parseRecord(value: unknown): Result<RunRecord, string> {
  const parsed = RECORD.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
