// Real clients on a terminal, and what the board says of each transition: prompt, permission and its answer, a long command, a question, a subagent
// in the background, the end of a turn, an interrupt, a refusal, an exit, `kill -9`. Prints how late each was seen.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { type Answer, type Call, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { answerFirstQuestions, openPane } from "./pane.ts";
import { installed, makePlace, type Place } from "./place.ts";

const programs = installed();
const delays: { readonly client: string; readonly what: string; readonly ms: number }[] = [];

afterAll(() => {
  const lines = delays.map(
    ({ client, what, ms }) => `${client.padEnd(12)} ${what.padEnd(36)} ${String(ms).padStart(6)} ms`,
  );
  process.stdout.write(`\nfrom the client's own time of the change to the line of skein watch\n${lines.join("\n")}\n`);
});

/** The last of these words that was said decides, and how often it was asked about. */
function modelFor(shell: (command: string) => Call, held: () => Promise<void>): (request: ModelRequest) => Answer {
  const asked = new Map<string, number>();
  return (request) => {
    if (request.tools <= 1) return { say: "title" };
    const word = [...request.user.matchAll(/\b(?:HOLD|SHELL|QUESTION|AGENT|CHILD|REFUSE)\d/g)].at(-1)?.[0] ?? "";
    const count = asked.get(word) ?? 0;
    asked.set(word, count + 1);
    if (count > 0) return { say: "Done." };
    if (word.startsWith("HOLD") || word.startsWith("CHILD")) return { say: "Held.", after: held() };
    if (word.startsWith("SHELL") || word.startsWith("REFUSE")) return { calls: [shell("touch made; sleep 5")] };
    if (word.startsWith("QUESTION")) return { calls: [question] };
    return word.startsWith("AGENT") ? { calls: [agent] } : { say: "Done." };
  };
}

const options = [
  { label: "A", description: "a" },
  { label: "B", description: "b" },
];
const question: Call = {
  name: "AskUserQuestion",
  args: { questions: [{ question: "Which one?", header: "Pick", multiSelect: false, options }] },
};
const agent: Call = {
  name: "Agent",
  args: { description: "look", prompt: "CHILD1 look", subagent_type: "general-purpose", run_in_background: true },
};

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
function watching(place: Place, client: string) {
  const child = spawn("skein", ["watch"], {
    env: place.env,
    cwd: place.repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  let taken = 0;
  createInterface({ input: child.stdout }).on("line", (line) => told.push(JSON.parse(line)));
  return {
    next: async (what: string, wanted: string): Promise<void> => {
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

test("P8 P17 P18 P19 P20 Claude Code on a terminal", async () => {
  let hold = Promise.withResolvers<void>();
  const shell = (command: string): Call => ({ name: "Bash", args: { command, description: "works" } });
  await using model = await startFakeModel(modelFor(shell, () => hold.promise));
  using place = makePlace(programs, model.port);
  place.run("skein", "install", "claude-code", "--yes");
  answerFirstQuestions(place);
  using board = watching(place, "claude-code");
  using pane = openPane(place, ["claude", "--permission-mode", "default"]);
  await board.next("start", "waiting a prompt");
  await pane.shows(/❯/);
  await pane.say("HOLD1 please");
  await board.next("prompt", "working");
  await eventually("the model is asked", () =>
    model.requests.some(({ user }) => user.includes("HOLD1")) ? true : null,
  );
  await pane.press("Escape");
  await board.next("Esc before an answer", "waiting a prompt");
  await pane.press("C-u");
  await pane.say("SHELL2 please");
  await board.next("prompt", "working");
  await board.next("permission", "waiting permission: Bash");
  await pane.shows(/Do you want to proceed/);
  await pane.press("Enter");
  await board.next("its answer, a long command", "working");
  await board.next("end of the turn", "waiting a prompt");
  await pane.say("QUESTION3 please");
  await board.next("prompt", "working");
  await board.next("question", "waiting a question");
  await pane.shows(/Which one/);
  await pane.press("Enter");
  await board.next("answered, end of the turn", "waiting a prompt");
  hold = Promise.withResolvers<void>();
  await pane.say("AGENT4 please");
  await board.next("prompt", "working");
  await pane.shows(/Waiting for 1 background agent/);
  hold.resolve();
  // It was at work all the while: nothing is told before the end.
  await board.next("background subagent, end", "waiting a prompt");
  await pane.say("REFUSE5 please");
  await board.next("permission", "waiting permission: Bash");
  await pane.shows(/Do you want to proceed/);
  await pane.press("Escape");
  await board.next("refused", "waiting interrupted");
  // The refused prompt stands there again.
  await pane.press("C-u");
  await pane.say("/exit");
  await board.next("exit", "ended");
});

test("P17 P18 P19 Codex on a terminal", async () => {
  const hold = Promise.withResolvers<void>();
  const escalated = { sandbox_permissions: "require_escalated", justification: "may I" };
  const shell = (cmd: string): Call => ({ name: "exec_command", args: { cmd, ...escalated } });
  await using model = await startFakeModel(modelFor(shell, () => hold.promise));
  using place = makePlace(programs, model.port);
  place.run("skein", "install", "codex", "--yes");
  answerFirstQuestions(place);
  using board = watching(place, "codex");
  // In a home that is thrown away the test may stand in for the person who approves hooks.
  const flags = ["--dangerously-bypass-hook-trust", "-m", "gpt-5.5", "-a", "on-request", "-s", "read-only"];
  using pane = openPane(place, ["codex", ...flags]);
  await pane.shows(/Ask Codex to do anything/);
  await pane.say("HOLD1 please");
  await board.next("prompt", "working");
  await eventually("the model is asked", () =>
    model.requests.some(({ user, tools }) => user.includes("HOLD1") && tools > 1) ? true : null,
  );
  await pane.press("Escape");
  await board.next("Esc", "waiting interrupted");
  await pane.say("SHELL2 please");
  await board.next("prompt", "working");
  await board.next("permission", "waiting permission: Bash");
  await pane.shows(/Would you like to run/);
  await pane.press("y");
  await board.next("its answer, a long command", "working");
  await board.next("end of the turn", "waiting a prompt");
  await pane.say("REFUSE3 please");
  await board.next("permission", "waiting permission: Bash");
  await pane.shows(/Would you like to run/);
  await pane.press("Escape");
  await board.next("refused", "waiting interrupted");
  await pane.say("HOLD4 please");
  await board.next("prompt", "working");
  process.kill(pane.pid, "SIGKILL");
  for (const pid of codexProcesses(place)) process.kill(pid, "SIGKILL");
  await board.next("kill -9", "ended its process has ended");
});

/** A wrapper starts the program itself. */
function codexProcesses(place: Place): readonly number[] {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json")) as {
    readonly sessions: readonly { readonly pid: number }[];
  };
  return sessions.map(({ pid }) => pid);
}
