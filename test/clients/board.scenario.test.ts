// Real clients on a terminal, and what the board says of each transition: prompt, permission and its answer, a long command, a question, a subagent
// in the background, the end of a turn, an interrupt, a refusal, an exit, `kill -9`. Prints how late each was seen.

import { afterAll, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { modelFor, printDelays, watching } from "./board-watch.ts";
import { type Call, startFakeModel } from "./fake-model.ts";
import { answerFirstQuestions, openPane } from "./pane.ts";
import { installed, makePlace, type Place } from "./place.ts";

const programs = installed();

afterAll(printDelays);

test("P8 P17 P18 P19 P20 Claude Code on a terminal", async () => {
  let hold = Promise.withResolvers<void>();
  const shell = (command: string): Call => ({ name: "Bash", args: { command, description: "works" } });
  await using model = await startFakeModel(modelFor(shell, () => hold.promise));
  using place = makePlace(programs, model.port);
  place.run("skein", "install", "claude-code", "--yes");
  answerFirstQuestions(place);
  using board = watching(place, "claude-code");
  using pane = openPane(place, ["claude", "--permission-mode", "default"]);
  await board.expectNext("start", "waiting a prompt");
  await pane.shows(/❯/);
  await pane.say("HOLD1 please");
  await board.expectNext("prompt", "working");
  await eventually("the model is asked", () =>
    model.requests.some(({ user }) => user.includes("HOLD1")) ? true : null,
  );
  await pane.press("Escape");
  await board.expectNext("Esc before an answer", "waiting a prompt");
  await pane.press("C-u");
  await pane.say("SHELL2 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("permission", "waiting permission: Bash");
  await pane.shows(/Do you want to proceed/);
  await pane.press("Enter");
  await board.expectNext("its answer, a long command", "working");
  await board.expectNext("end of the turn", "waiting a prompt");
  await pane.say("QUESTION3 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("question", "waiting a question");
  await pane.shows(/Which one/);
  await pane.press("Enter");
  await board.expectNext("answered, end of the turn", "waiting a prompt");
  hold = Promise.withResolvers<void>();
  await pane.say("AGENT4 please");
  await board.expectNext("prompt", "working");
  await pane.shows(/Waiting for 1 background agent/);
  hold.resolve();
  // It was at work all the while: nothing is told before the end.
  await board.expectNext("background subagent, end", "waiting a prompt");
  await pane.say("REFUSE5 please");
  await board.expectNext("permission", "waiting permission: Bash");
  await pane.shows(/Do you want to proceed/);
  await pane.press("Escape");
  await board.expectNext("refused", "waiting interrupted");
  // The refused prompt stands there again.
  await pane.press("C-u");
  await pane.say("/exit");
  await board.expectNext("exit", "ended");
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
  await board.expectNext("prompt", "working");
  await eventually("the model is asked", () =>
    model.requests.some(({ user, tools }) => user.includes("HOLD1") && tools > 1) ? true : null,
  );
  await pane.press("Escape");
  await board.expectNext("Esc", "waiting interrupted");
  await pane.say("SHELL2 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("permission", "waiting permission: Bash");
  await pane.shows(/Would you like to run/);
  await pane.press("y");
  await board.expectNext("its answer, a long command", "working");
  await board.expectNext("end of the turn", "waiting a prompt");
  await pane.say("REFUSE3 please");
  await board.expectNext("permission", "waiting permission: Bash");
  await pane.shows(/Would you like to run/);
  await pane.press("Escape");
  await board.expectNext("refused", "waiting interrupted");
  await pane.say("HOLD4 please");
  await board.expectNext("prompt", "working");
  process.kill(pane.pid, "SIGKILL");
  for (const pid of codexProcesses(place)) process.kill(pid, "SIGKILL");
  await board.expectNext("kill -9", "ended its process has ended");
});

/** A wrapper starts the program itself. */
function codexProcesses(place: Place): readonly number[] {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json")) as {
    readonly sessions: readonly { readonly pid: number }[];
  };
  return sessions.map(({ pid }) => pid);
}
