// JSON values without regard to what they mean: every string of one changed, and one text for values that are equal.

import { createHash } from "node:crypto";

/** Deeper levels are left out: whatever a model makes up as arguments must not exhaust the stack. */
const depthMax = 200;

/** A copy in which every string, names of fields included, is what `change` makes of it. */
export function mapStrings(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === depthMax) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, depth + 1));
  const fields = Object.entries(value).map(([name, item]) => [change(name), mapStrings(item, change, depth + 1)]);
  return Object.fromEntries(fields);
}

/** 128 bits of SHA-256 in hexadecimal, over the value as JSON with sorted fields: equal values, equal digests. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)) ?? "null")
    .digest("hex")
    .slice(0, digestChars);
}

const digestChars = 32;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sorted(item)]));
}
