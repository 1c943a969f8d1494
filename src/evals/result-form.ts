// What a child's last words look like: one bare value, a list, or a report. Told from the form alone.

import type { ResultForm } from "./record.ts";

const bareCharsMax = 80;
const item = /^\s*(?:[-*•]|\d+[.)])\s+\S|^\s*[\w./`*-]+\s*[=:]\s*\S+$/;
/** `2750`, `auth=2750`, `TIMEOUT_MS: 2750 ms`, `"yes"`. */
const bare = /^[\s`*"']*(?:[\w./-]+\s*[=:]\s*)?[`*"']*[\w./+-]+(?:\s*(?:ms|s|%))?[`*"'.\s]*$/;

export function formOf(text: string): ResultForm {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length <= 1 && text.length <= bareCharsMax && bare.test(text)) return "bare-value";
  return lines.length >= 2 && lines.every((line) => item.test(line)) ? "list" : "report";
}
