// Box plots of one figure, a row for each group on one axis from zero: whiskers from the least to the greatest value, the box from the
// lower to the upper quartile, the median as a thick line, and every run as a dot, since a box of five runs hides more than it shows.

import { summaryText, valueText } from "../figure-text.ts";
import type { FigureRow, FigureSummary, Unit } from "../report.ts";
import { html, type Markup, nothing } from "./escape.ts";
import { at, type Scale, scaleOf, width } from "./scale.ts";

const edgeFrom = 0.95;
const WHOLE: ReadonlySet<Unit> = new Set(["count", "tokens", "chars", "files"]);

/** The groups' labels in the order of the row. */
export function boxPlot(row: FigureRow, labels: readonly string[]): Markup {
  const values = row.groups.flatMap((group) => (group.kind === "known" ? group.values : []));
  const scale = scaleOf(values, { whole: WHOLE.has(row.unit) });
  return html`<figure class="plot">
<figcaption><b>${row.label}</b> <span class="quiet">${row.about}</span></figcaption>
${row.groups.map((summary, index) => groupRow(labels[index] ?? "", summary, row.unit, scale))}
<div class="plot-row"><span></span>${axis(scale, row.unit)}<span></span></div>
</figure>
`;
}

function groupRow(label: string, summary: FigureSummary, unit: Unit, scale: Scale): Markup {
  const said = summaryText(summary, unit);
  return html`<div class="plot-row"><span class="label" title="${label}">${label}</span><svg class="box" role="img" aria-label="${label}: ${said}">${grid(scale)}${drawing(summary, unit, scale)}</svg><span class="said">${said}</span></div>
`;
}

function drawing(summary: FigureSummary, unit: Unit, scale: Scale): Markup {
  if (summary.kind === "unavailable") return nothing;
  const { min, max, median, lowerQuartile: lower, upperQuartile: upper, values } = summary;
  const dots = values.map(
    (value) =>
      html`<circle cx="${at(value, scale)}" cy="50%" r="3.5"><title>${valueText(value, unit)}</title></circle>`,
  );
  return html`<line class="whisker" x1="${at(min, scale)}" x2="${at(max, scale)}" y1="50%" y2="50%"/><rect class="quartiles" x="${at(lower, scale)}" width="${width(lower, upper, scale)}" y="15%" height="70%"/><line class="median" x1="${at(median, scale)}" x2="${at(median, scale)}" y1="8%" y2="92%"/>${dots}`;
}

export function grid(scale: Scale): Markup {
  return html`${scale.ticks.map((tick) => html`<line class="grid" x1="${at(tick, scale)}" x2="${at(tick, scale)}" y1="0" y2="100%"/>`)}`;
}

export function axis(scale: Scale, unit: Unit): Markup {
  const { ticks, max } = scale;
  // A label in the middle of its tick would be cut off at the edges.
  const anchor = (tick: number) => (tick === 0 ? "start" : tick > max * edgeFrom ? "end" : "middle");
  const labels = ticks.map(
    (tick) => html`<text x="${at(tick, scale)}" y="12" text-anchor="${anchor(tick)}">${valueText(tick, unit)}</text>`,
  );
  return html`<svg class="axis" aria-hidden="true">${labels}</svg>`;
}
