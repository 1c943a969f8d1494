// `skein watch` beside a real client, and the model that leads it through the states: each state is taken once, with how late it was seen.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { eventually } from "../support/skein.ts";
import type { Answer, Call, ModelRequest } from "./fake-model.ts";
import type { Place } from "./place.ts";

const delays: { readonly client: string; readonly what: string; readonly ms: number }[] = [];

/** For the end of a file of scenarios. */
export function printDelays(): void {
  const lines = delays.map(
    ({ client, what, ms }) => `${client.padEnd(12)} ${what.padEnd(36)} ${String(ms).padStart(6)} ms`,
  );
  process.stdout.write(`\nfrom the client's own time of the change to the line of skein watch\n${lines.join("\n")}\n`);
}

/** The last of these words that was said decides, and how often it was asked about. */
export function modelFor(
  shell: (command: string) => Call,
  held: () => Promise<void>,
  { question, agent }: Tools = CLAUDE_TOOLS,
): (request: ModelRequest) => Answer {
  const asked = new Map<string, number>();
  return (request) => {
    if (request.tools <= 1) return { say: "title" };
    const word = [...request.user.matchAll(/\b(?:HOLD|SHELL|QUESTION|AGENT|CHILD|REFUSE)\d/g)].at(-1)?.[0] ?? "";
    const count = asked.get(word) ?? 0;
    asked.set(word, count + 1);
    if (count > 0) return { say: "Done." };
    if (word.startsWith("HOLD") || word.startsWith("CHILD")) return { say: "Held.", after: held() };
    // The board looks four times a second: a shorter time of work may lie between two looks.
    const after = delay(thinkMs);
    if (word.startsWith("SHELL") || word.startsWith("REFUSE")) return { calls: [shell("touch made; sleep 5")], after };
    if (word.startsWith("QUESTION")) return { calls: [question], after };
    return word.startsWith("AGENT") ? { calls: [agent], after } : { say: "Done." };
  };
}

const thinkMs = 700;

export interface Tools {
  readonly question: Call;
  readonly agent: Call;
}

export const options = [
  { label: "A", description: "a" },
  { label: "B", description: "b" },
];
const askUser: Call = {
  name: "AskUserQuestion",
  args: { questions: [{ question: "Which one?", header: "Pick", multiSelect: false, options }] },
};
const agentTool: Call = {
  name: "Agent",
  args: { description: "look", prompt: "CHILD1 look", subagent_type: "general-purpose", run_in_background: true },
};

const CLAUDE_TOOLS: Tools = { question: askUser, agent: agentTool };

interface Told {
  readonly at: string;
  readonly session: {
    readonly client: string;
    readonly state: string;
    readonly reason: string | null;
    readonly stateSince: string;
    readonly died: boolean;
  };
}

/** `skein watch` beside the client: each state that it tells is taken once. */
export function watching(place: Place, client: string) {
  const child = spawn("skein", ["watch"], {
    env: place.env,
    cwd: place.repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  let taken = 0;
  createInterface({ input: child.stdout }).on("line", (line) => told.push(JSON.parse(line)));
  return {
    expectNext: async (what: string, wanted: string): Promise<void> => {
      const found = await eventually(`${what}: ${wanted}`, () => {
        const index = told.findIndex(
          ({ session: { state, reason } }, at) => at >= taken && `${state} ${reason ?? ""}`.startsWith(wanted),
        );
        const one = told[index];
        if (one === undefined) return null;
        taken = index + 1;
        return one;
      }).catch((cause: unknown) => {
        const states = told.slice(taken).map(({ session: { state, reason } }) => `${state} ${reason ?? ""}`);
        throw new Error(`${cause}; told since: ${states.join(", ")}`);
      });
      const ms = Date.parse(found.at) - Date.parse(found.session.stateSince);
      expect([what, found.session.client]).toEqual([what, client]);
      delays.push({ client, what: `${what}: ${wanted}`, ms });
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
