// A run's time line: a row for each agent on one axis, children below their parent. Spans that run at the same time lie in lanes beneath
// each other, so that what is parallel is seen to be. All runs of a task have one axis: a shorter run is a shorter drawing.

import { valueText } from "../figure-text.ts";
import type { AgentLine, RunLine, Span, SpanKind, TimeLine } from "../report.ts";
import { axis, grid } from "./box-plot.ts";
import { html, type Markup, nothing } from "./escape.ts";
import { at, type Scale, width } from "./scale.ts";

const laneHeightPx = 9;
const lanesMax = 12;
/** More would make a page that no browser opens; what is left out is said. */
const spansMax = 2_000;

export const SPAN_NAMES: Readonly<Record<SpanKind, string>> = {
  model: "model request",
  tool: "tool call",
  delegation: "waits for a child",
};

export function timeLine(run: RunLine, scale: Scale): Markup {
  const wall = run.wallMs === null ? "wall time unavailable" : valueText(run.wallMs, "ms");
  const waiting = run.waitingMs === null ? "" : `, ${valueText(run.waitingMs, "ms")} with a model request open`;
  const verdict = run.passed ? html`<span class="yes">passed</span>` : html`<span class="no">not passed</span>`;
  return html`<section class="run" id="${run.id}">
<h4>${run.id} ${verdict} <span class="quiet">${wall}${waiting}</span></h4>
${timeRows(run.timeLine, scale)}
</section>
`;
}

/** A row for each agent, and the axis. */
export function timeRows({ agents }: TimeLine, scale: Scale): Markup {
  const rows = depthFirst(agents);
  if (rows.length === 0) return html`<p class="quiet">Nothing was recorded of this run.</p>`;
  return html`${rows.map((row) => agentRow(row, scale))}<div class="time-row"><span></span>${axis(scale, "ms")}</div>`;
}

export interface Row {
  readonly agent: AgentLine;
  readonly depth: number;
}

/** Each agent's children directly below it; one whose parent is not there, or is its own child, stands at the top. */
export function depthFirst(agents: readonly AgentLine[]): readonly Row[] {
  const ids = new Set(agents.map(({ id }) => id));
  const below = (parent: string | null, depth: number, above: ReadonlySet<string>): readonly Row[] =>
    agents
      .filter((agent) => (agent.parent !== null && ids.has(agent.parent) ? agent.parent : null) === parent)
      .filter(({ id }) => !above.has(id))
      .flatMap((agent) => [{ agent, depth }, ...below(agent.id, depth + 1, new Set([...above, agent.id]))]);
  const rows = below(null, 0, new Set());
  const shown = new Set(rows.map(({ agent }) => agent));
  return [...rows, ...agents.filter((agent) => !shown.has(agent)).map((agent) => ({ agent, depth: 0 }))];
}

function agentRow({ agent, depth }: Row, scale: Scale): Markup {
  const spans = agent.spans.slice(0, spansMax);
  const { placed, lanes } = inLanes(spans);
  const height = Math.max(1, lanes) * laneHeightPx + 4;
  const name = `${"\u00a0\u00a0".repeat(Math.min(depth, 8))}${depth === 0 ? "" : "└ "}${agent.id}`;
  const more = agent.spans.length > spans.length ? `, ${agent.spans.length - spans.length} more are not drawn` : "";
  const said = `${agent.id}: ${valueText(agent.startMs, "ms")} to ${valueText(agent.endMs, "ms")}, ${spans.length} spans${more}`;
  return html`<div class="time-row"><span class="label" title="${said}">${name}${more}</span><svg class="line" height="${height}" role="img" aria-label="${said}">${grid(scale)}<rect class="alive" x="${at(agent.startMs, scale)}" width="${width(agent.startMs, agent.endMs, scale)}" y="0" height="100%"/>${placed.map((one) => spanRect(one, scale))}</svg></div>
`;
}

interface Placed {
  readonly span: Span;
  readonly lane: number;
}

function spanRect({ span, lane }: Placed, scale: Scale): Markup {
  const { kind, queuedFromMs, startMs, endMs, label, failed } = span;
  const said = `${SPAN_NAMES[kind]}: ${label}, ${valueText(endMs - startMs, "ms")} from ${valueText(startMs, "ms")}${failed ? ", failed" : ""}`;
  const { hookMs = 0, approvalMs = 0 } = span;
  const gateMs = startMs - hookMs - approvalMs;
  const waited =
    queuedFromMs === null || queuedFromMs >= gateMs
      ? nothing
      : barOf("queued", queuedFromMs, gateMs, `queued: ${label}, ${valueText(gateMs - queuedFromMs, "ms")}`);
  const hooked =
    hookMs === 0 ? nothing : barOf("hook", gateMs, gateMs + hookMs, `hooks: ${label}, ${valueText(hookMs, "ms")}`);
  const approved =
    approvalMs === 0
      ? nothing
      : barOf("approval", startMs - approvalMs, startMs, `approval: ${label}, ${valueText(approvalMs, "ms")}`);
  return html`${waited}${hooked}${approved}${barOf(`${kind}${failed ? " failed" : ""}`, startMs, endMs, said)}`;

  function barOf(name: string, fromMs: number, toMs: number, title: string): Markup {
    return html`<rect class="${name}" x="${at(fromMs, scale)}" width="${width(fromMs, toMs, scale)}" y="${lane * laneHeightPx + 2}" height="${laneHeightPx - 1}"><title>${title}</title></rect>`;
  }
}

/** The first lane that is free when it queues or starts, so that no two spans of a lane overlap; beyond `lanesMax` they share the last. */
function inLanes(spans: readonly Span[]): { readonly placed: readonly Placed[]; readonly lanes: number } {
  const ends: number[] = [];
  const placed = spans
    .toSorted((a, b) => fromMs(a) - fromMs(b) || a.startMs - b.startMs)
    .map((span) => {
      const free = ends.findIndex((endMs) => endMs <= fromMs(span));
      const lane = Math.min(free === -1 ? ends.length : free, lanesMax - 1);
      ends[lane] = Math.max(ends[lane] ?? 0, span.endMs);
      return { span, lane };
    });
  return { placed, lanes: ends.length };
}

function fromMs({ queuedFromMs, startMs, hookMs = 0, approvalMs = 0 }: Span): number {
  return queuedFromMs ?? startMs - hookMs - approvalMs;
}
