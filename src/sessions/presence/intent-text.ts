// One line that says what a session is for, from the person's prompt or from the agent itself. Others read it: it is redacted first.

import { cleanLine } from "../../base/text.ts";
import { redact } from "../redact.ts";
import { limits } from "./line.ts";

const promptReadCharsMax = 4_000;
const wordsMin = 3;

/** Null for a prompt that says too little by itself: "yes", "go on". */
export function intentFromPrompt(prompt: string): string | null {
  const text = intentText(prompt);
  return text === null || text.split(" ").length < wordsMin ? null : text;
}

/** Redacted before it is cut, since half a key is not recognised any more. Null for an empty one. */
export function intentText(text: string): string | null {
  const line = redact(text.slice(0, promptReadCharsMax)).replace(/\s+/g, " ").trim();
  if (line === "") return null;
  return line.length <= limits.intentChars ? cleanLine(line, limits.intentChars) : shortened(line);
}

function shortened(line: string): string {
  const cut = line.slice(0, limits.intentChars - 1);
  const end = cut.lastIndexOf(" ");
  return `${cleanLine(end > limits.intentChars / 2 ? cut.slice(0, end) : cut, limits.intentChars)}…`;
}
