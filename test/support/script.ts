// Scripted models for small swarms, built rule by rule: what a planner, a worker and an arbiter say at which turn.

import { writeFileSync } from "node:fs";

export interface Call {
  readonly tool: string;
  readonly input: object;
}

/** A rule of docs/script-model.md. */
export type Rule = Readonly<Record<string, unknown>>;

export interface TaskSpec {
  readonly key: string;
  readonly scope?: readonly string[];
  readonly check?: string;
  readonly base?: "head" | "snapshot";
  readonly after?: readonly string[];
}

export const call = (tool: string, input: object): Call => ({ tool, input });
export const write = (path: string, content: string): Call => call("write_file", { path, content });
export const bash = (command: string): Call => call("bash", { command });
export const handoff = (more: object = {}): Call =>
  call("handoff", { status: "done", summary: "All is done.", ...more });
export const giveUp = (summary: string): Call => call("handoff", { status: "failed", summary });

export function delegate(...tasks: readonly TaskSpec[]): Call {
  return call("delegate", {
    tasks: tasks.map((task) => ({ title: `Do ${task.key}`, instructions: `Do what ${task.key} says.`, ...task })),
  });
}

/** The root planner: delegates, waits, ends. */
export function plan(tasks: readonly TaskSpec[], end: Call = handoff()): readonly Rule[] {
  return [
    { role: "planner", task: "root", turn: 1, calls: [delegate(...tasks)] },
    { role: "planner", task: "root", turn: 2, say: "I wait for the results." },
    { role: "planner", task: "root", turn: 3, calls: [end] },
  ];
}

/** One worker's turns, from the first. */
export function work(key: string, ...turns: readonly (Call | readonly Call[])[]): readonly Rule[] {
  return turns.map((calls, index) => ({
    role: "worker",
    task: key,
    turn: index + 1,
    calls: Array.isArray(calls) ? calls : [calls],
  }));
}

export function writeScript(path: string, rules: readonly Rule[]): string {
  writeFileSync(path, JSON.stringify({ name: "test", rules }));
  return `script:${path}`;
}
