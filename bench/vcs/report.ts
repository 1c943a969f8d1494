// The benchmark's rows and how they are printed: the same figures as a table and as JSON.

import type { ProfileLine } from "./profile.ts";

export interface Row {
  readonly measure: string;
  readonly value: number;
  readonly unit: string;
  /** (largest − smallest) / median of the repetitions; null for a single one. */
  readonly spread: number | null;
  readonly target: { readonly atLeast: number } | { readonly atMost: number } | null;
  /** What else belongs to the figure: the disk's rate then, the shape, the reason of a miss. */
  readonly note: string;
}

export interface Report {
  readonly machine: string;
  readonly quick: boolean;
  readonly loadBefore: number;
  readonly fdatasync: { readonly perSecond: number; readonly spread: number };
  /** The conditions under which rates and latencies must reach their targets: load below 0.3, spread of fdatasync below 30 %. */
  readonly isQuiet: boolean;
  readonly rows: readonly Row[];
  /** Where the server's time goes at 256 writers. */
  readonly profile: readonly ProfileLine[];
}

export function isMet({ value, target }: Row): boolean | null {
  if (target === null) return null;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** The same figures, for programs; `met` null where a row has no target. */
export function jsonOf(report: Report): string {
  return JSON.stringify({ ...report, rows: report.rows.map((row) => ({ ...row, met: isMet(row) })) });
}

export function tableOf(report: Report): string {
  const { machine, quick, loadBefore, fdatasync, isQuiet, rows, profile } = report;
  const quiet = isQuiet ? "quiet" : "NOT quiet: rates and latencies are those of a busy machine";
  const lines = [
    `${machine}${quick ? ", quick run" : ""}`,
    `load before ${loadBefore.toFixed(2)}, fdatasync ${Math.round(fdatasync.perSecond)}/s, spread ${percent(fdatasync.spread)}: ${quiet}`,
    "",
  ];
  const cells = rows.map((row) => [
    row.measure,
    `${figure(row.value)} ${row.unit}`,
    spreadOf(row),
    verdict(row, isQuiet),
    row.note,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((cell) => cell[column]?.length ?? 0)));
  for (const cell of cells)
    lines.push(
      cell
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  lines.push("", "where the server's time goes at 256 writers:");
  for (const { share, where } of profile) lines.push(`  ${percent(share).padStart(6)}  ${where}`);
  return lines.join("\n");
}

function verdict(row: Row, isQuiet: boolean): string {
  const met = isMet(row);
  if (row.target === null || met === null) return "";
  const wanted = "atLeast" in row.target ? `≥ ${figure(row.target.atLeast)}` : `≤ ${figure(row.target.atMost)}`;
  if (met) return `${wanted} reached`;
  return `${wanted} MISSED${isQuiet ? "" : " (busy machine)"}`;
}

function spreadOf({ spread }: Row): string {
  return spread === null ? "" : `± ${percent(spread / 2)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
