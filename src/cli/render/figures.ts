// How figures are written for people: one form each, everywhere. What is not known says so.

import type { Figure } from "../../model/usage.ts";

/** `840 ms`, `12.3 s`, `4 min 05 s`, `2 h 07 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${pad(Math.floor((ms % 60_000) / 1_000))} s`;
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
}

/** `950`, `12.3k`, `4.56M`, or `unavailable`. */
export function count(figure: Figure): string {
  if (figure === "unavailable") return figure;
  if (figure < 1_000) return String(figure);
  return figure < 1_000_000 ? `${(figure / 1_000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(2)}M`;
}

/** Dollars to a hundredth of a cent below one dollar, else to the cent. */
export function dollars(figure: Figure): string {
  if (figure === "unavailable") return figure;
  return `$${figure.toFixed(figure < 1 ? 4 : 2)}`;
}

/** `12.3k tokens in, 320 out`, or that nobody told. */
export function tokens(input: Figure, output: Figure): string {
  if (input === "unavailable" && output === "unavailable") return "tokens unavailable";
  return `${count(input)} tokens in, ${count(output)} out`;
}

/** As `dollars`, after other figures. */
export function cost(figure: Figure): string {
  return figure === "unavailable" ? "cost unavailable" : dollars(figure);
}

/** `1 commit`, `3 commits`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
