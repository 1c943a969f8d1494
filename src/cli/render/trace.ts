// A run's time line for a terminal: a row for each agent on one axis, children below their parent, and where the time of each went. What
// a cell shows is told by its sign, not by its colour alone.

import { cleanLine } from "../../base/text.ts";
import { depthFirst } from "../../report/html/time-line.ts";
import type { AgentLine } from "../../report/report.ts";
import type { RunTrace, TracedAgent } from "../../report/run-trace.ts";
import type { Known } from "../../report/transcript.ts";
import type { Colors } from "../plain-io.ts";
import { duration, plural } from "./figures.ts";

const nameColumns = 10;
const cellsMin = 20;
const cellsMax = 200;
const agentsShownMax = 500;

/** From what is least to what is most worth seeing in a cell. */
const CELLS = [
  { kind: "alive", sign: "·", said: "idle" },
  { kind: "queued", sign: "-", said: "waits for its turn" },
  { kind: "delegation", sign: "░", said: "waits for a child" },
  { kind: "model", sign: "█", said: "model" },
  { kind: "tool", sign: "▓", said: "tool" },
  { kind: "hook", sign: "h", said: "hooks" },
  { kind: "approval", sign: "?", said: "waits for you" },
  { kind: "failed", sign: "x", said: "failed" },
] as const;

type Cell = (typeof CELLS)[number]["kind"];

export function traceLines(
  trace: RunTrace,
  { columns, colors }: { readonly columns: number; readonly colors: Colors },
): readonly string[] {
  const { runId, task, timeLine, agents, scripted, linesUnread, agentsMissing } = trace;
  const cells = Math.min(cellsMax, Math.max(cellsMin, columns - nameColumns - 1));
  const rows = depthFirst(timeLine.agents);
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  const shown = rows.slice(0, agentsShownMax);
  return [
    `${colors.bold(`run ${runId}`)}${scripted ? " · scripted model" : ""} · ${duration(timeLine.endMs)} · ${plural(agents.length, "agent")}`,
    cleanLine(task, Math.max(40, columns)),
    "",
    ...shown.map(({ agent, depth }) => timeRow(agent, depth, { cells, endMs: timeLine.endMs, colors })),
    `${" ".repeat(nameColumns)}${axis(timeLine.endMs, cells)}`,
    colors.dim(CELLS.map(({ sign, said }) => `${sign} ${said}`).join("   ")),
    "",
    ...shown.flatMap(({ agent: { id } }) => {
      const agent = known.get(id);
      return agent === undefined ? [] : sumLines(agent);
    }),
    ...(rows.length > shown.length ? [`… and ${plural(rows.length - shown.length, "agent")} more`] : []),
    ...(linesUnread === 0
      ? []
      : [`${plural(linesUnread, "line")} of its transcripts could not be read: what they held is missing`]),
    ...(agentsMissing.length === 0
      ? []
      : [
          `${plural(agentsMissing.length, "agent")} without a transcript that can be read, missing here: ${missing(agentsMissing)}`,
        ]),
  ];
}

function missing(ids: readonly string[]): string {
  const more = ids.length - agentsNamedMax;
  const named = ids.slice(0, agentsNamedMax).map((id) => cleanLine(id, idCharsMax));
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const agentsNamedMax = 20;
const idCharsMax = 60;

interface Drawing {
  readonly cells: number;
  readonly endMs: number;
  readonly colors: Colors;
}

function timeRow(agent: AgentLine, depth: number, { cells, endMs, colors }: Drawing): string {
  const name = `${"  ".repeat(Math.min(depth, 3))}${cleanLine(agent.id, nameColumns)}`.slice(0, nameColumns - 1);
  const strength = new Array<number>(cells).fill(-1);
  const at = (ms: number): number => Math.min(cells - 1, Math.floor((ms / Math.max(1, endMs)) * cells));
  const fill = (kind: Cell, fromMs: number, toMs: number): void => {
    const level = CELLS.findIndex((cell) => cell.kind === kind);
    for (let cell = at(fromMs); cell <= at(Math.max(fromMs, toMs - 1)); cell++)
      strength[cell] = Math.max(strength[cell] ?? -1, level);
  };
  fill("alive", agent.startMs, agent.endMs);
  for (const { kind, queuedFromMs, startMs, endMs: toMs, hookMs = 0, approvalMs = 0, failed } of agent.spans) {
    const gateMs = startMs - hookMs - approvalMs;
    if (queuedFromMs !== null && queuedFromMs < gateMs) fill("queued", queuedFromMs, gateMs);
    if (hookMs > 0) fill("hook", gateMs, gateMs + hookMs);
    if (approvalMs > 0) fill("approval", startMs - approvalMs, startMs);
    fill(kind, startMs, toMs);
    // Where it ended, so that what it was stays visible.
    if (failed) fill("failed", toMs - 1, toMs);
  }
  return `${name.padEnd(nameColumns)}${painted(strength, colors)}`;
}

function painted(strength: readonly number[], colors: Colors): string {
  const paint: Readonly<Record<Cell, (text: string) => string>> = {
    alive: colors.dim,
    queued: colors.yellow,
    delegation: colors.dim,
    model: colors.blue,
    tool: colors.green,
    hook: colors.magenta,
    approval: colors.magenta,
    failed: colors.red,
  };
  const parts: string[] = [];
  for (let from = 0; from < strength.length; ) {
    const level = strength[from] ?? -1;
    let to = from;
    while (to < strength.length && strength[to] === level) to++;
    const cell = CELLS[level];
    parts.push(cell === undefined ? " ".repeat(to - from) : paint[cell.kind](cell.sign.repeat(to - from)));
    from = to;
  }
  return parts.join("").trimEnd();
}

/** Marks at quarters, each with its time. */
function axis(endMs: number, cells: number): string {
  const marks = [0, 0.25, 0.5, 0.75].map((share) => ({
    at: Math.floor(share * cells),
    text: `|${duration(share * endMs)}`,
  }));
  const line = marks.reduce((text, mark) => (mark.at < text.length ? text : text.padEnd(mark.at) + mark.text), "");
  const last = `${duration(endMs)}|`;
  return line.length + last.length + 1 > cells ? line : line.padEnd(cells - last.length) + last;
}

function sumLines(agent: TracedAgent): readonly string[] {
  const { id, outcome, startMs, endMs, requests, requestWaitingMs, modelMs, calls, callsFailed } = agent;
  const failed = callsFailed === 0 ? "" : ` (${callsFailed} failed)`;
  const ran =
    calls === 0
      ? ""
      : `; ${plural(calls, "call")}${failed}: ${known(agent.executionMs)} running, ${known(agent.waitingMs)} waiting, ${known(agent.hookMs)} in hooks, ${known(agent.approvalMs)} for approval`;
  const model = `${plural(requests, "request")}: ${duration(modelMs)} of the model, ${duration(requestWaitingMs)} waiting`;
  return [`${cleanLine(id, 60)} ${outcome ?? "at work, or cut off"} in ${duration(endMs - startMs)}; ${model}${ran}`];
}

function known(ms: Known): string {
  return ms === "unavailable" ? "unavailable" : duration(ms);
}
