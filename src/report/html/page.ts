// A report as one page that works from a file: no script, and nothing is loaded from anywhere, which its content policy holds too.
// Whatever text comes from suites, models and files gets into it through `html` alone.

import type { ExcludedRun, Report, Source } from "../report.ts";
import { excludedText, isScripted, readingSentences, scriptedSentence, sourceText } from "../sentences.ts";
import { htmlDocument } from "./document.ts";
import { html, type Markup, nothing } from "./escape.ts";
import { taskSection } from "./task.ts";

export function htmlReport(report: Report): string {
  const title = `${report.kind === "comparison" ? "Comparison" : "Evaluation"}: ${report.suite}`;
  const body = html`${isScripted(report) ? html`<p class="scripted"><b>Scripted.</b> ${scriptedSentence}</p>` : nothing}
<ul>${report.sources.map(sourceItem)}</ul>
${report.notes.map((note) => html`<p class="note">${note}</p>`)}
<nav>${report.tasks.map(({ task }, index) => html`<a href="#task-${index}">${task}</a>`)}<a href="#excluded">excluded runs</a><a href="#reading">how to read this</a></nav>
${report.tasks.map((task, index) => taskSection(task, index, report.statistics))}
${excludedSection(report.excluded)}
<h2 id="reading">How to read this</h2>
<ul>${readingSentences(report.statistics).map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
  return htmlDocument(title, body);
}

function sourceItem(source: Source): Markup {
  return html`<li>${source.side === null ? nothing : html`<b>${source.side}</b>: `}${sourceText(source)}</li>`;
}

function excludedSection(excluded: readonly ExcludedRun[]): Markup {
  const runs = excluded.map((run) => html`<li>${excludedText(run)}</li>`);
  return html`<h2 id="excluded">Excluded runs</h2>
${excluded.length === 0 ? html`<p>None.</p>` : html`<p>They are kept, and no figure counts them.</p><ul>${runs}</ul>`}
`;
}
