// Transcripts of a run's agents, as files that anybody can read: what became of each call.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SwarmOutcome } from "./swarm.ts";

export interface CallResult {
  readonly turn: number;
  readonly name: string;
  readonly outcome: string;
  readonly text: string;
}

/** Results of the calls of the agents that had the task with this key, in order. */
export function resultsOf({ json, store }: SwarmOutcome, key: string): readonly CallResult[] {
  const task = store.task(key);
  const agents = new Set(store.all("task_leased").flatMap((lease) => (lease.task === task ? [lease.agent] : [])));
  return [...agents].flatMap((agent) =>
    readFileSync(join(String(json.store), "agents", `${agent}.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "result")
      .map(({ turn, name, outcome, text }) => ({ turn, name, outcome, text })),
  );
}
