// opencode on a terminal, and what the board says of each transition: prompt, interrupt, permission and its answer, a long command, a question,
// a subagent, the end of a turn, a refusal, `kill -9`. Prints how late each was seen.

import { afterAll, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { modelFor, options, printDelays, watching } from "./board-watch.ts";
import { type Call, startFakeModel } from "./fake-model.ts";
import { opencode } from "./others/opencode.ts";
import { openPane } from "./pane.ts";
import { installed, makePlace } from "./place.ts";

const programs = installed();

afterAll(printDelays);

const shell = (command: string): Call => ({ name: "bash", args: { command, description: "works" } });
const question: Call = { name: "question", args: { questions: [{ question: "Which one?", header: "Pick", options }] } };
const agent: Call = {
  name: "task",
  args: { description: "look", prompt: "CHILD1 look", subagent_type: "general" },
};

test("P17 P18 P19 P20 opencode on a terminal", async () => {
  let hold = Promise.withResolvers<void>();
  await using model = await startFakeModel(modelFor(shell, () => hold.promise, { question, agent }));
  using place = makePlace(programs, model.port, [opencode]);
  place.run("skein", "install", "opencode", "--yes");
  using board = watching(place, "opencode");
  using pane = openPane(place, ["opencode"]);
  const asked = (word: string) =>
    eventually(`the model is asked for ${word}`, () =>
      model.requests.some(({ user, tools }) => user.includes(word) && tools > 1) ? true : null,
    );
  await pane.shows(/Ask anything/);
  await pane.say("HOLD1 please");
  await board.expectNext("prompt", "working");
  await asked("HOLD1");
  await pane.press("Escape", "Escape");
  await board.expectNext("Esc", "waiting interrupted");
  await pane.say("SHELL2 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("permission", "waiting permission: bash");
  await pane.shows(/Allow once/);
  await pane.press("Enter");
  await board.expectNext("its answer, a long command", "working");
  await board.expectNext("end of the turn", "waiting a prompt");
  await pane.say("QUESTION3 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("question", "waiting a question");
  await pane.shows(/Which one/);
  await pane.press("Enter");
  await board.expectNext("answered", "working");
  await board.expectNext("end of the turn", "waiting a prompt");
  hold = Promise.withResolvers<void>();
  await pane.say("AGENT4 please");
  await board.expectNext("prompt", "working");
  await asked("CHILD1");
  hold.resolve();
  // It was at work all the while: nothing is told before the end.
  await board.expectNext("subagent, end of the turn", "waiting a prompt");
  await pane.say("REFUSE5 please");
  await board.expectNext("prompt", "working");
  await board.expectNext("permission", "waiting permission: bash");
  await pane.shows(/Allow once/);
  await pane.press("Right", "Right", "Enter");
  await board.expectNext("refused", "waiting a prompt");
  hold = Promise.withResolvers<void>();
  await pane.say("HOLD6 please");
  await board.expectNext("prompt", "working");
  process.kill(pane.pid, "SIGKILL");
  await board.expectNext("kill -9", "ended its process has ended");
});
