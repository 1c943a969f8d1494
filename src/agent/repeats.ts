// Detects an agent that goes round in circles: pure, from the history alone, so that a resumed session is judged the same.

import type { Message } from "../model/message.ts";

/** Longest circle looked for: A B A B … has two turns. */
const circleTurnsMax = 4;

/**
 * The reason to stop, if the history ends with the same turn, or the same circle of turns, `repeatsMax` times in a row:
 * same calls, same arguments, same results. Null otherwise. A user message begins anew.
 */
export function circling(messages: readonly Message[], repeatsMax: number): string | null {
  const latest = latestTurns(messages, repeatsMax * circleTurnsMax);
  for (let circle = 1; circle <= circleTurnsMax; circle++) {
    const length = circle * repeatsMax;
    if (latest.length < length) return null;
    const repeats = latest
      .slice(0, length)
      .every((turn, index) => turn.fingerprint === latest[index % circle]?.fingerprint);
    if (!repeats) continue;
    const names = [...new Set(latest.slice(0, circle).flatMap((turn) => turn.names))].join(", ");
    return `the same calls with the same arguments gave the same results ${repeatsMax} times in a row (${names})`;
  }
  return null;
}

interface Turn {
  readonly names: readonly string[];
  readonly fingerprint: string;
}

/** Turns with calls, latest first, back to the last user message. */
function latestTurns(messages: readonly Message[], turnsMax: number): readonly Turn[] {
  const turns: Turn[] = [];
  for (let index = messages.length - 1; index > 0 && turns.length < turnsMax; index -= 2) {
    const results = messages[index];
    const answer = messages[index - 1];
    if (results?.role !== "tool" || answer?.role !== "assistant") break;
    const calls = answer.calls.map((call) => [call.name, call.arguments]);
    const outcomes = results.results.map((result) => [result.text, result.isError]);
    turns.push({ names: answer.calls.map((call) => call.name), fingerprint: stableJson([calls, outcomes]) });
  }
  return turns;
}

/** JSON with object keys in sorted order: the order in which a model writes its arguments means nothing. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
