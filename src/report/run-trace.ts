// What a run's transcripts tell of its time: of each agent where it went, and a time line of all. Times are milliseconds since the first
// line; what no line says is `unavailable`, and a sum with such a part too.

import { capLine } from "../base/text.ts";
import type { AgentLine, Span, TimeLine } from "./report.ts";
import type { Known, Transcript, TranscriptLine } from "./transcript.ts";

export interface RunTrace {
  readonly runId: string;
  /** What the run was for, as it was said; empty where nothing was recorded. */
  readonly task: string;
  /** Wall time, milliseconds since the epoch; null where nothing was recorded. */
  readonly startedAtMs: number | null;
  readonly scripted: boolean;
  readonly agents: readonly TracedAgent[];
  readonly timeLine: TimeLine;
  /** Lines of transcripts that a crash has torn, or that a newer version wrote. */
  readonly linesUnread: number;
  /** Ids of agents that took part and have no transcript that can be read. */
  readonly agentsMissing: readonly string[];
}

export interface TracedAgent {
  readonly id: string;
  readonly parent: string | null;
  readonly role: string;
  readonly model: string;
  readonly task: string;
  /** Null for one that is at work, or was cut off. */
  readonly outcome: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly requests: number;
  /** Of its requests: in queues and pauses, and until the answer was whole. */
  readonly requestWaitingMs: number;
  readonly modelMs: number;
  readonly calls: number;
  readonly callsFailed: number;
  /** Of its calls, delegations included: behind others, in hooks before them, for the person, and while they ran. */
  readonly waitingMs: Known;
  readonly hookMs: Known;
  readonly approvalMs: Known;
  readonly executionMs: Known;
}

const taskCharsMax = 2_000;
const labelCharsMax = 160;
/** A shorter wait, hook or approval before a call is not drawn: every call has some. */
const gateDrawnMsMin = 20;
const DELEGATING: readonly string[] = ["delegate_task", "wait_task"];

type Line<Kind extends TranscriptLine["kind"]> = Extract<TranscriptLine, { readonly kind: Kind }>;

/** `known` are ids of agents that other records name. */
export function runTrace(runId: string, transcripts: readonly Transcript[], known: readonly string[]): RunTrace {
  const starts = transcripts.flatMap(({ lines }) => lines.flatMap((line) => ("atMs" in line ? [line.atMs] : [])));
  const zeroMs = starts.reduce((least, ms) => Math.min(least, ms), starts[0] ?? 0);
  const childOf = new Map(
    transcripts.flatMap(({ agent, parent, lines }) => {
      const by = lines.find((line) => line.kind === "start")?.startedBy;
      return by === null || by === undefined ? [] : [[`${parent} ${by.turn} ${by.index}`, agent] as const];
    }),
  );
  const drawn = transcripts
    .map((transcript) => drawnOf(transcript, zeroMs, childOf))
    .toSorted((a, b) => a.line.startMs - b.line.startMs || byNumber(a.agent.id, b.agent.id));
  const [first] = drawn;
  const recorded = new Set(transcripts.map(({ agent }) => agent));
  const named = new Set([...known, ...transcripts.flatMap(({ parent }) => parent ?? [])]);
  return {
    runId,
    task: first?.agent.task ?? "",
    startedAtMs: starts.length === 0 ? null : zeroMs,
    scripted: transcripts.some(({ lines }) => lines.some((line) => line.kind === "start" && line.scripted)),
    agents: drawn.map(({ agent }) => agent),
    timeLine: { endMs: Math.max(0, ...drawn.map(({ line }) => line.endMs)), agents: drawn.map(({ line }) => line) },
    linesUnread: transcripts.reduce((sum, { linesUnread }) => sum + linesUnread, 0),
    agentsMissing: [...named].filter((id) => !recorded.has(id)).toSorted(byNumber),
  };
}

interface Drawn {
  readonly agent: TracedAgent;
  readonly line: AgentLine;
}

function drawnOf(transcript: Transcript, zeroMs: number, childOf: ReadonlyMap<string, string>): Drawn {
  const { agent: id, parent, lines } = transcript;
  const of = <Kind extends TranscriptLine["kind"]>(kind: Kind): readonly Line<Kind>[] =>
    lines.filter((line): line is Line<Kind> => line.kind === kind);
  const [requests, results, begun, ends] = [of("request"), of("result"), of("start"), of("end")];
  const times = lines.flatMap(timesOf).map((ms) => ms - zeroMs);
  const startMs = times.reduce((least, ms) => Math.min(least, ms), times[0] ?? 0);
  const endMs = times.reduce((most, ms) => Math.max(most, ms), startMs);
  // One that was resumed has ended before: only an end after the last start counts.
  const last = lines.findLast((line) => line.kind === "start" || line.kind === "end");
  const outcome = last?.kind === "end" ? last.outcome : null;
  const arguments_ = argumentsIn(of("assistant"));
  const spans = [
    ...requests.map((line) => requestSpan(line, zeroMs)),
    ...results.flatMap((line) => {
      const child = childOf.get(`${id} ${line.turn} ${line.index}`) ?? null;
      return callSpan(line, zeroMs, `${child === null ? "" : `→ ${child} `}${arguments_.get(placeOf(line)) ?? ""}`);
    }),
  ].toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  const ran = results.filter((line) => line.startMs !== "unavailable");
  const start = begun.at(-1);
  const agent = {
    id,
    parent,
    role: start?.role ?? "",
    model: start?.provider ?? "",
    task: capLine(taskIn(of("user")[0]?.text ?? ""), taskCharsMax),
    outcome: ends.length === 0 ? null : outcome,
    startMs,
    endMs,
    requests: requests.length,
    requestWaitingMs: sumOf(requests.map(({ waitedMs }) => waitedMs)),
    modelMs: sumOf(requests.map((line) => Math.max(0, line.endMs - line.startMs - line.waitedMs))),
    calls: results.length,
    callsFailed: results.filter(({ isError }) => isError).length,
    waitingMs: sum(ran.map(waitingOf)),
    hookMs: sum(results.map(hooksOf)),
    approvalMs: sum(results.map(({ approvalMs }) => approvalMs)),
    executionMs: sum(ran.map((line) => minus(line.endMs, line.startMs))),
  };
  return { agent, line: { id, parent, startMs, endMs, outcome, spans } };
}

/** A child is told who it is and what it may before its task. */
function taskIn(text: string): string {
  const at = text.startsWith("You are now the child agent ") ? text.indexOf(taskHeading) : -1;
  return at === -1 ? text : text.slice(at + taskHeading.length);
}

const taskHeading = "\n\nYour task:\n";

function timesOf(line: TranscriptLine): readonly number[] {
  if ("atMs" in line) return [line.atMs];
  return [line.startMs, line.endMs].filter((ms) => ms !== "unavailable");
}

function requestSpan(line: Line<"request">, zeroMs: number): Span {
  const { turn, startMs, endMs, waitedMs, outcome, error, tokens } = line;
  const count = (figure: Known): string => (figure === "unavailable" ? "unknown" : String(figure));
  const said = `${count(tokens.inputTokens)} tokens in, ${count(tokens.outputTokens)} out`;
  return {
    kind: "model",
    queuedFromMs: waitedMs > 0 ? startMs - zeroMs : null,
    startMs: Math.min(endMs, startMs + waitedMs) - zeroMs,
    endMs: endMs - zeroMs,
    label: capLine(`turn ${turn}, ${said}${error === null ? "" : `, ${error}`}`, labelCharsMax),
    failed: outcome === "error" || outcome === "aborted",
  };
}

/** What never ran is not drawn. */
function callSpan(line: Line<"result">, zeroMs: number, said: string): readonly Span[] {
  const { name, startMs, endMs, queuedMs, isError, approvalMs } = line;
  if (startMs === "unavailable" || endMs === "unavailable") return [];
  const waited = queuedMs !== "unavailable" && startMs - queuedMs >= gateDrawnMsMin;
  const hookMs = hooksOf(line);
  return [
    {
      kind: DELEGATING.includes(name) ? "delegation" : "tool",
      queuedFromMs: waited ? queuedMs - zeroMs : null,
      ...(isDrawn(hookMs) ? { hookMs } : {}),
      ...(isDrawn(approvalMs) ? { approvalMs } : {}),
      startMs: startMs - zeroMs,
      endMs: endMs - zeroMs,
      label: capLine(`${name} ${said}`, labelCharsMax),
      failed: isError,
    },
  ];
}

function isDrawn(ms: Known): ms is number {
  return ms !== "unavailable" && ms >= gateDrawnMsMin;
}

function argumentsIn(answers: readonly Line<"assistant">[]): ReadonlyMap<string, string> {
  return new Map(
    answers.flatMap(({ turn, calls }) =>
      calls.map(({ arguments: given }, index) => {
        const text = given.kind === "parsed" ? (JSON.stringify(given.value) ?? "") : given.text;
        return [placeOf({ turn, index }), capLine(text, labelCharsMax)] as const;
      }),
    ),
  );
}

function placeOf({ turn, index }: { readonly turn: number; readonly index: number }): string {
  return `${turn} ${index}`;
}

function waitingOf({ startMs, queuedMs, gateMs }: Line<"result">): Known {
  const before = minus(minus(startMs, queuedMs), gateMs);
  // Wall time and the monotonic clock round apart.
  return before === "unavailable" ? before : Math.max(0, before);
}

function hooksOf({ gateMs, approvalMs }: Line<"result">): Known {
  return minus(gateMs, approvalMs);
}

function minus(a: Known, b: Known): Known {
  return a === "unavailable" || b === "unavailable" ? "unavailable" : a - b;
}

function sum(figures: readonly Known[]): Known {
  return figures.some((figure) => figure === "unavailable")
    ? "unavailable"
    : sumOf(figures.filter((figure) => figure !== "unavailable"));
}

function sumOf(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** `a2` before `a10`. */
function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
