// Shows a swarm run while it goes on and after it: a redrawn screen on a terminal, plain lines elsewhere, JSON for programs.

import type { RunView, SwarmResult, SwarmWatcher } from "../app/swarm-types.ts";
import type { Result } from "../base/result.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { explainExport } from "./errors.ts";
import type { Io } from "./io.ts";
import { PlainProgress } from "./render/plain.ts";
import { startLines } from "./render/start.ts";
import { summaryJson, summaryLines } from "./render/summary.ts";

export interface ShowOptions {
  readonly io: Io;
  readonly json: boolean;
  /** See SwarmWatcher. */
  readonly stop: AbortSignal;
  readonly stopNow: AbortSignal;
}

/** Least time between two frames. */
const frameMs = 100;

/** Runs, shows, prints the summary and sets the exit code: 0 only if the goal was reached, all work is exported and its check passes. */
export async function showRun<E>(
  options: ShowOptions,
  run: (watcher: SwarmWatcher) => Promise<Result<SwarmResult, E>>,
): Promise<Result<SwarmResult, E>> {
  const { io, json, stop, stopNow } = options;
  const screen = io.live && !json ? await liveScreen(io) : plainScreen(json ? io.note : io.out);
  const onStop = (): void => screen.note("stops: agents finish their current calls; Ctrl-C once more ends them now");
  stop.addEventListener("abort", onStop, { once: true });
  const result = await run({
    onStart: (start) => {
      for (const line of startLines(start)) screen.say(line);
    },
    onChange: (view) => screen.update(view),
    onStep: (step) => screen.step(step),
    onNote: (text) => screen.note(cleanLine(text, 1_000)),
    agreeToNoSandbox: async (reason) => {
      io.note(`agents' shell commands would run without a sandbox, with your rights: ${cleanLine(reason, 1_000)}`);
      return /^y(es)?$/i.test((await io.ask("let them? [y/N] ")) ?? "");
    },
    stop,
    stopNow,
  });
  stop.removeEventListener("abort", onStop);
  screen.end();
  if (result.ok) {
    printResult(io, result.value, json);
    io.exitCode = exitCode(result.value, stop);
  }
  return result;
}

function printResult(io: Io, result: SwarmResult, json: boolean): void {
  const print = json ? io.note : io.out;
  for (const line of summaryLines(result, io.colors)) print(line);
  if (result.exportError !== null)
    io.note(
      `skein: the branch could not be made: ${explainExport(result.exportError, result.store)}\n  once that is mended, skein swarm --resume ${result.summary.runId} makes it`,
    );
  if (result.checkPassed !== true && result.checkOutput !== "")
    io.note(`the check's output:\n${cleanText(result.checkOutput, 4_000)}`);
  if (json) io.out(summaryJson(result));
}

/** Work that is on no branch is a failure, also of a run that a person stopped. */
function exitCode(result: SwarmResult, stop: AbortSignal): 0 | 1 | 130 {
  if (isGood(result)) return 0;
  return stop.aborted && result.exportError === null ? 130 : 1;
}

/** A check that was named and did not run has not passed; work that is kept in a conflict is not on the branch. */
function isGood({ summary, exportError, check, checkPassed, openConflicts }: SwarmResult): boolean {
  const checked = check === null || checkPassed === true;
  return summary.state === "finished" && exportError === null && checked && openConflicts.length === 0;
}

interface Screen {
  say(line: string): void;
  update(view: () => RunView): void;
  step(step: string): void;
  /** Beside the progress, which it does not disturb. */
  note(text: string): void;
  end(): void;
}

function plainScreen(print: (line: string) => void): Screen {
  const progress = new PlainProgress();
  return {
    say: print,
    update: (view) => {
      const { lines, summary } = view();
      for (const line of progress.update(lines, summary.wallMs)) print(line);
    },
    step: print,
    note: print,
    end: () => {},
  };
}

async function liveScreen(io: Io): Promise<Screen> {
  // Only a terminal needs to know how wide characters are, which takes a while to load.
  const { progressFrame } = await import("./render/progress.ts");
  const frames = await io.frames();
  let latest: (() => RunView) | null = null;
  let step: string | null = null;
  let notes: string[] = [];
  const draw = (): void => {
    if (latest === null) return;
    const { columns, rows } = io.size();
    frames.draw(progressFrame({ ...latest(), step, columns, rows, colors: io.colors }));
  };
  // Redrawn by time and not by event: times go on, and a burst of events costs one frame.
  const timer = setInterval(draw, frameMs);
  return {
    say: io.out,
    update: (view) => {
      latest = view;
    },
    step: (next) => {
      step = next;
    },
    // A line of its own would tear the frame: the newest stands in its title, all of them below it at the end.
    note: (text) => {
      notes = [...notes, text];
      step = text;
    },
    end: () => {
      clearInterval(timer);
      step = null;
      draw();
      frames.done();
      for (const note of notes) io.note(note);
    },
  };
}
