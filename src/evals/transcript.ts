// Reads what a run wrote of its agents: transcripts and delegations, as far as measuring and judging need them. The formats are those of
// docs/run.md; a line that a crash has torn is counted, not guessed.

import { join } from "node:path";
import { z } from "zod";
import type { Files } from "../host/files.ts";

const fileBytesMax = 256 * 1024 * 1024;
const agentsMax = 10_000;
const runsMax = 100;
const firstAgent = "a0";

const FIGURE = z.union([z.number(), z.literal("unavailable")]);
export type Told = z.infer<typeof FIGURE>;

const CALL = z.object({ id: z.string(), name: z.string(), arguments: z.unknown() });
const owned = { agent: z.string(), parent: z.string().nullable() };

const LINE = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    ...owned,
    at_ms: z.number(),
    role: z.string(),
    provider: z.string(),
    scripted: z.boolean(),
    tools: z.array(z.string()),
  }),
  z.object({
    type: z.literal("message"),
    turn: z.number(),
    at_ms: z.number(),
    message: z.discriminatedUnion("role", [
      z.object({ role: z.literal("user"), text: z.string() }),
      z.object({ role: z.literal("assistant"), text: z.string(), calls: z.array(CALL) }),
    ]),
  }),
  z.object({
    type: z.literal("request"),
    turn: z.number(),
    provider: z.string(),
    outcome: z.string(),
    error: z.object({ code: z.string() }).nullable(),
    start_ms: z.number(),
    end_ms: z.number(),
    waited_ms: z.number(),
    attempts: z.array(z.unknown()).default([]),
    usage: z.object({ input_tokens: FIGURE, cached_tokens: FIGURE, output_tokens: FIGURE }),
    cost_usd: FIGURE,
  }),
  z.object({
    type: z.literal("result"),
    turn: z.number(),
    index: z.number(),
    call_id: z.string(),
    name: z.string(),
    outcome: z.string(),
    is_error: z.boolean(),
    queued_ms: FIGURE,
    start_ms: FIGURE,
    end_ms: FIGURE,
    text: z.string(),
  }),
  z.object({ type: z.literal("end"), at_ms: z.number(), outcome: z.string(), detail: z.string() }),
]);

export type TranscriptLine = z.infer<typeof LINE>;
type Of<Type extends TranscriptLine["type"]> = Extract<TranscriptLine, { type: Type }>;

export interface AgentTranscript {
  readonly id: string;
  readonly starts: readonly Of<"start">[];
  readonly messages: readonly Of<"message">[];
  readonly requests: readonly Of<"request">[];
  readonly results: readonly Of<"result">[];
  readonly end: Of<"end"> | null;
}

const DELEGATION = z.object({
  seq: z.number().int(),
  call_id: z.string(),
  child_id: z.string().nullable(),
  parent_id: z.string(),
  concurrent: FIGURE,
  queued_at_ms: z.number(),
  started_at_ms: FIGURE,
  ended_at_ms: z.number(),
  outcome: z.string(),
});
export type DelegationLine = z.infer<typeof DELEGATION>;

const CHILD = z.object({
  type: z.literal("asked"),
  child: z.string(),
  request: z.object({ context: z.string(), task: z.string() }),
});

export interface RunTranscripts {
  /** The first agent first, then its children in the order of their ids. */
  readonly agents: readonly AgentTranscript[];
  readonly delegations: readonly DelegationLine[];
  /** What each child was given of its parent's conversation, by its id. */
  readonly contexts: ReadonlyMap<string, string>;
  /** What cannot be read, in words. */
  readonly damaged: readonly string[];
}

/** `state` is the state directory of a program that made one run. */
export async function readTranscripts(files: Files, state: string): Promise<RunTranscripts> {
  const damaged: string[] = [];
  const runs = await runDirectories(files, join(state, "runs"));
  if (runs.length > 1) damaged.push(`${runs.length} runs are in one state directory`);
  const [run] = runs;
  if (run === undefined) return { agents: [], delegations: [], contexts: new Map(), damaged };
  const entries = await files.list(join(run, "agents"), agentsMax);
  const names = entries.ok ? entries.value.flatMap(({ name }) => /^(a\d+)\.jsonl$/.exec(name)?.[1] ?? []) : [];
  const agents: AgentTranscript[] = [];
  for (const id of names.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))) {
    const read = await linesOf(files, join(run, "agents", `${id}.jsonl`), damaged);
    agents.push(transcriptOf(id, parsed(read, transcriptLine, id, damaged)));
  }
  const delegated = await linesOf(files, join(run, "delegations.jsonl"), damaged);
  const children = await linesOf(files, join(run, "children.jsonl"), damaged);
  const delegations = parsed(delegated, (value) => DELEGATION.safeParse(value).data ?? null, "delegations", damaged);
  damaged.push(...lostOf(agents, delegations));
  return {
    agents,
    delegations,
    contexts: new Map(
      children.flatMap((line) => {
        const child = CHILD.safeParse(jsonOf(line)).data;
        return child === undefined ? [] : [[child.child, child.request.context] as const];
      }),
    ),
    damaged,
  };
}

/** What must be there for what is: without it sums would lack parts, and nobody would see it. */
function lostOf(agents: readonly AgentTranscript[], delegations: readonly DelegationLine[]): readonly string[] {
  const ids = new Set(agents.map(({ id }) => id));
  const started = delegations.flatMap(({ child_id: child, started_at_ms: at }) =>
    child === null || at === "unavailable" ? [] : [child],
  );
  const parents = agents.flatMap(({ starts }) => starts.flatMap(({ parent }) => parent ?? []));
  const needed = new Set([...(ids.size === 0 ? [] : [firstAgent]), ...started, ...parents]);
  return [
    ...[...needed].filter((id) => !ids.has(id)).map((id) => `${id} has no transcript`),
    ...agents.filter(({ starts }) => starts.length === 0).map(({ id }) => `the transcript of ${id} has no beginning`),
    ...(ids.size > 1 && delegations.length === 0 ? ["the delegations are missing"] : []),
  ];
}

/** The last words of an agent; null where it said none. */
export function lastWords({ messages }: AgentTranscript): string | null {
  const last = messages.at(-1)?.message;
  return last?.role === "assistant" && last.calls.length === 0 ? last.text : null;
}

/** Null for a kind of line that is not needed here, undefined for what is no line of a transcript. */
function transcriptLine(value: unknown): TranscriptLine | "other" | null {
  const line = LINE.safeParse(value);
  if (line.success) return line.data;
  const type = z.object({ type: z.enum(["call", "compaction"]) }).safeParse(value);
  return type.success ? "other" : null;
}

function transcriptOf(id: string, lines: readonly (TranscriptLine | "other")[]): AgentTranscript {
  const known = lines.filter((line) => line !== "other");
  const of = <Type extends TranscriptLine["type"]>(type: Type) =>
    known.filter((line): line is Of<Type> => line.type === type);
  return {
    id,
    starts: of("start"),
    messages: of("message"),
    requests: of("request"),
    results: of("result"),
    end: of("end").at(-1) ?? null,
  };
}

async function runDirectories(files: Files, runs: string): Promise<readonly string[]> {
  const found: string[] = [];
  const keys = await files.list(runs, runsMax);
  for (const key of keys.ok ? keys.value : []) {
    const own = await files.list(join(runs, key.name), runsMax);
    for (const { name, kind } of own.ok ? own.value : [])
      if (kind === "directory") found.push(join(runs, key.name, name));
  }
  return found;
}

/** None where there is no such file: a run without children has none. */
async function linesOf(files: Files, path: string, damaged: string[]): Promise<readonly string[]> {
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) {
    if (bytes.error.code !== "not-found") damaged.push(`${path}: ${bytes.error.message}`);
    return [];
  }
  const lines = Buffer.from(bytes.value).toString("utf8").split("\n");
  return lines.filter((line) => line !== "");
}

function parsed<T>(
  lines: readonly string[],
  read: (value: unknown) => T | null,
  name: string,
  damaged: string[],
): readonly T[] {
  const values = lines.map((line) => read(jsonOf(line)));
  const torn = values.filter((value) => value === null).length;
  if (torn > 0) damaged.push(`${name}: ${torn} lines cannot be read`);
  return values.filter((value) => value !== null);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
