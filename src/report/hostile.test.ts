// Text of suites, models and files in every place of a report: each view shows it as text. The page is well-formed, loads nothing and
// runs nothing.

import { describe, expect, test } from "vitest";
import { reportOf } from "../evals/summary/report.ts";
import { madeAgent, madeCall, madeRequest, madeResults } from "../testing/evals/made-results.ts";
import { htmlReport } from "./html/page.ts";
import { markdownReport } from "./markdown.ts";
import type { Report } from "./report.ts";

const hostile = `</title></style><script>alert(1)</script><img src=x onerror="alert('2')"> & | \`code\` [a](http://evil.example/) *b* _c_ \u001b[31mred\u202e\u0000 &lt;`;

/** Every string of a report made hostile, by its place. */
function spoiled<T>(value: T): T {
  const spoil = (one: unknown, key: string): unknown => {
    if (typeof one === "string") return KEPT.has(key) ? one : hostile;
    if (Array.isArray(one)) return one.map((item) => spoil(item, key));
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, spoil(item, name)]));
  };
  return spoil(value, "") as T;
}
/** Words of our own that views choose by. */
const KEPT = new Set(["kind", "unit", "status", "judgement", "name"]);

const agent = madeAgent("a0", null, {
  endMs: 9,
  requests: [madeRequest(0, 5, { outcome: "error", error: "overloaded" })],
  calls: [madeCall("read_file", 6, 8)],
});
const failed = {
  passed: false,
  failure: { kind: "model", detail: "wrong" },
  checks: [{ name: "sum", aspect: "value", passed: false, detail: "x", cause: "y" }],
} as const;
const report: Report = reportOf(
  madeResults({
    plan: { scale: 0.5 },
    runs: [
      {
        condition: "a",
        agents: [agent],
        figures: { wallMs: 9, waitingMs: 5, workingMs: 4 },
        verdict: { ...failed, checks: [...failed.checks] },
      },
      { condition: "b", agents: [agent], figures: { wallMs: 8, waitingMs: 5, workingMs: 3 } },
      { condition: "b", verdict: { excluded: { reason: "environment", detail: "no rg" } } },
    ],
  }),
);

describe("the page", () => {
  const page = htmlReport(spoiled(report));

  test("has only elements and attributes of its own, closed in order", () => {
    expect(problemsOf(page)).toEqual([]);
  });

  test("loads nothing, runs nothing, and shows what was said as it was said", () => {
    expect([
      /https?:\/\/(?!evil\.example)/.test(page),
      /url\(|@import|src=(?!x)/.test(page),
      page.includes("\u001b"),
    ]).toEqual([false, false, false]);
    expect(page).toContain("&lt;/title&gt;&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).toContain("\ufffd[31mred\ufffd\ufffd &amp;lt;");
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });
});

test("Markdown keeps hostile text on its line, without control characters and without markup of its own", () => {
  const text = markdownReport(spoiled(report));
  // An answer is shown as an indented block of code, in which nothing is markup.
  const lines = text.split("\n").filter((line) => !line.startsWith("    "));
  const bare = /(?<!\\)(?:<|`|\[)|[\u0000-\u0009\u001b\u202e]/;
  expect(lines.filter((line) => bare.test(line))).toEqual([]);
  const columns = lines.filter((line) => line.startsWith("|")).map((line) => line.match(/(?<!\\)\|/g)?.length);
  // Rates; figures; how often; runs: each table has the columns of its head.
  expect([...new Set(columns)].toSorted()).toEqual([4, 5, 9]);
});

const ELEMENTS = new Set(
  "html head meta title style body h1 h2 h3 h4 p b ul li nav a div table thead tbody tr th td figure figcaption span details summary svg line rect circle text pre section".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "lang charset name content http-equiv class href id role aria-label aria-hidden title colspan x y x1 x2 y1 y2 cx cy r width height text-anchor".split(
    " ",
  ),
);

/** What is wrong with a page, read as strictly as XML but for its void elements. */
function problemsOf(page: string): readonly string[] {
  const problems: string[] = [];
  const open: string[] = [];
  const body = page.replace("<!doctype html>", "").replace(/<style>[^<]*<\/style>/, "");
  const tag = /<(\/?)([a-z0-9]+)((?:\s+[a-z0-9-]+="[^"<>]*")*)\s*(\/?)>/g;
  if (/[<>]/.test(body.replace(tag, ""))) problems.push("a < or > that is no tag's");
  for (const [, closing, name = "", attributes = "", selfClosed] of body.matchAll(tag)) {
    if (!ELEMENTS.has(name)) problems.push(`the element ${name}`);
    for (const [, attribute = ""] of attributes.matchAll(/\s([a-z0-9-]+)="[^"]*"/g))
      if (!ATTRIBUTES.has(attribute)) problems.push(`the attribute ${attribute}`);
    if (closing === "/") {
      if (open.pop() !== name) problems.push(`</${name}> closes nothing`);
    } else if (selfClosed !== "/" && name !== "meta") open.push(name);
  }
  return [...problems, ...open.map((name) => `<${name}> is not closed`)];
}
