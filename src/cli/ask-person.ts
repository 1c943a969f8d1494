// Puts the questions of a run to the person at the terminal, through the screen that shows the run. One at a time: the gate asks the
// next when this one is answered.

import type { Answer, Person, Question } from "../agent/approval/question.ts";
import type { Io } from "./io.ts";
import type { Keys } from "./keys.ts";

export interface QuestionScreen {
  say(lines: readonly string[]): void;
  /** The line that waits for a key; null once it is answered. */
  asks(line: (() => string) | null): void;
}

export interface AskOptions {
  readonly io: Pick<Io, "noteColors">;
  readonly keys: Keys;
  readonly screen: QuestionScreen;
  /** Questions that stand behind the one that is shown. */
  readonly behind: () => number;
}

export function askingPerson({ io, keys, screen, behind }: AskOptions): Person {
  return {
    async ask(question: Question, signal: AbortSignal): Promise<Answer | null> {
      const { ANSWERS, answerKeys, promptLine, questionLines } = await import("./render/question.ts");
      screen.say(questionLines(question, io.noteColors));
      screen.asks(() => promptLine(question, behind()));
      const key = await keys.next(answerKeys(question), signal);
      screen.asks(null);
      return key === null ? null : (ANSWERS[key] ?? null);
    },
  };
}
