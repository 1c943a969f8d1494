// One run's trace as a page that works from a file: a Gantt chart with a row for each agent, and where the time of each went. No script, and
// nothing is loaded from anywhere; what comes from models and files gets into it through `html` alone.

import { valueText } from "../figure-text.ts";
import type { RunTrace, TracedAgent } from "../run-trace.ts";
import type { Known } from "../transcript.ts";
import { htmlDocument } from "./document.ts";
import { html, type Markup, nothing } from "./escape.ts";
import { scaleOf } from "./scale.ts";
import { SPAN_NAMES, timeRows } from "./time-line.ts";

const KEY = [
  ["model", SPAN_NAMES.model],
  ["tool", SPAN_NAMES.tool],
  ["delegation", SPAN_NAMES.delegation],
  ["queued", "waits for its turn"],
  ["hook", "in hooks"],
  ["approval", "waits for your approval"],
  ["tool failed", "failed"],
] as const;

const missingShownMax = 20;

export function htmlTrace(trace: RunTrace): string {
  const title = `Run ${trace.runId}`;
  const scale = scaleOf([trace.timeLine.endMs]);
  const began = trace.startedAtMs === null ? "" : `${new Date(trace.startedAtMs).toISOString()}, `;
  const agents = trace.agents.length === 1 ? "1 agent" : `${trace.agents.length} agents`;
  const body = html`${trace.scripted ? html`<p class="scripted"><b>Scripted.</b> The answers were written beforehand.</p>` : nothing}
<p>${trace.task}</p>
<p class="quiet">${began}${valueText(trace.timeLine.endMs, "ms")}, ${agents}</p>
${trace.linesUnread === 0 ? nothing : html`<p class="note">${trace.linesUnread} lines of its transcripts could not be read: what they held is missing here.</p>`}
${trace.agentsMissing.length === 0 ? nothing : html`<p class="note">No transcript that can be read, so missing here: ${trace.agentsMissing.slice(0, missingShownMax).join(", ")}${trace.agentsMissing.length > missingShownMax ? ` and ${trace.agentsMissing.length - missingShownMax} more` : ""}</p>`}
<h2>Time line</h2>
<div class="key">${KEY.map(([name, said]) => html`<span><svg class="line" aria-hidden="true"><rect class="${name}" width="100%" height="100%"/></svg>${said}</span>`)}</div>
${timeRows(trace.timeLine, scale)}
<h2>Where the time went</h2>
<p class="quiet">Of each agent. Calls run together, so that their times may add up to more than the agent's own; a call that waits for a child counts as running.</p>
<div class="wide"><table><thead><tr><th>agent</th><th>outcome</th><th>from start to end</th><th>requests</th><th>waited to ask</th><th>model</th><th>calls</th><th>calls waited</th><th>hooks</th><th>approval</th><th>calls ran</th></tr></thead>
<tbody>${trace.agents.map(agentRow)}</tbody></table></div>
<h2>Agents</h2>
<ul>${trace.agents.map(({ id, parent, role, model, task }) => html`<li><b>${id}</b> ${parent === null ? nothing : html`<span class="quiet">of ${parent}</span> `}<span class="quiet">${role}, ${model}</span><br>${task}</li>`)}</ul>`;
  return htmlDocument(title, body);
}

function agentRow(agent: TracedAgent): Markup {
  const { id, outcome, startMs, endMs, requests, requestWaitingMs, modelMs, calls, callsFailed } = agent;
  const failed = callsFailed === 0 ? nothing : html`, <span class="no">${callsFailed} failed</span>`;
  return html`<tr><td>${id}</td><td>${outcome ?? "at work, or cut off"}</td><td>${time(endMs - startMs)}</td><td>${requests}</td><td>${time(requestWaitingMs)}</td><td>${time(modelMs)}</td><td>${calls}${failed}</td><td>${time(agent.waitingMs)}</td><td>${time(agent.hookMs)}</td><td>${time(agent.approvalMs)}</td><td>${time(agent.executionMs)}</td></tr>
`;
}

function time(ms: Known): string {
  return ms === "unavailable" ? ms : valueText(ms, "ms");
}
