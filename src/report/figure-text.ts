// How a report writes its figures: one form for each unit, in every view. What is not known says so.

import { unreachable } from "../base/assert.ts";
import type { FigureSummary, Rate, Unit } from "./report.ts";

/** `840 ms`, `18.3 s`, `12.4 min`; `12,345`; `$0.0123`; `2.41`. */
export function valueText(value: number, unit: Unit): string {
  switch (unit) {
    case "ms":
      return milliseconds(value);
    case "usd":
      return value < 0 ? `−${dollars(-value)}` : dollars(value);
    case "share":
      return `${sign(tenths(value * 100))} %`;
    case "ratio":
      return sign(value.toFixed(2));
    case "count":
    case "tokens":
    case "chars":
    case "files":
      return sign(grouped(value));
    default:
      return unreachable(unit);
  }
}

/** With its sign: `+3`, `−7.4 s`, `0`. */
export function differenceText(value: number, unit: Unit): string {
  const text = unit === "share" ? `${sign(tenths(value * 100))} points` : valueText(value, unit);
  return value > 0 ? `+${text}` : text;
}

/** `−40 %` of `from`; null where there is none to tell: of 0, of what is a share itself, and below half a percent. */
export function shareText(difference: number, from: number, unit: Unit): string | null {
  if (from === 0 || unit === "share" || !Number.isFinite(difference / from)) return null;
  const percent = Math.round((difference / Math.abs(from)) * 100);
  return percent === 0 ? null : `${percent > 0 ? "+" : ""}${sign(String(percent))} %`;
}

/** `18.3 s (17.9 s–18.8 s), n = 5`; with `, 2 unavailable` where runs lack it. */
export function summaryText(summary: FigureSummary, unit: Unit): string {
  if (summary.kind === "unavailable") return "unavailable";
  const { median, min, max, n, unavailable } = summary;
  const lacking = unavailable === 0 ? "" : `, ${unavailable} unavailable`;
  return `${valueText(median, unit)} (${valueText(min, unit)}–${valueText(max, unit)}), n = ${n}${lacking}`;
}

/** `4/5`, or `not checked`. */
export function rateText(rate: Rate): string {
  return rate === null ? "not checked" : `${rate.right}/${rate.n}`;
}

/** A probability: `0.833`, and `1` or `0` where it is just that. */
export function probabilityText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

function milliseconds(value: number): string {
  const size = Math.abs(value);
  if (size < 999.5) return `${sign(String(Math.round(value)))} ms`;
  if (size < 599_950) return `${sign((value / 1_000).toFixed(1))} s`;
  return `${sign((value / 60_000).toFixed(1))} min`;
}

function dollars(value: number): string {
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

/** Whole numbers as they are, medians of two with one decimal, thousands apart. */
function grouped(value: number): string {
  const [whole = "", part] = (Number.isInteger(value) ? String(value) : value.toFixed(1)).split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined || part === "0" ? spaced : `${spaced}.${part}`;
}

function tenths(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A minus that is no hyphen, and no minus before nothing. */
function sign(text: string): string {
  if (!text.startsWith("-")) return text;
  return /[1-9]/.test(text) ? `−${text.slice(1)}` : text.slice(1);
}
