// Shows a swarm run while it goes on and after it: a redrawn screen on a terminal, plain lines elsewhere, JSON for programs.

import type { RunView, SwarmResult, SwarmWatcher } from "../app/swarm.ts";
import type { Result } from "../base/result.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { explainExport } from "./errors.ts";
import type { Io } from "./io.ts";
import { PlainProgress } from "./render/plain.ts";
import { progressFrame } from "./render/progress.ts";
import { summaryJson, summaryLines } from "./render/summary.ts";

export interface ShowOptions {
  readonly io: Io;
  readonly interrupted: AbortSignal;
  readonly json: boolean;
}

/** Least time between two frames. */
const frameMs = 100;

/** Runs, shows, prints the summary and sets the exit code: 0 only if the goal was reached, all work is exported and its check passes. */
export async function showRun<E>(
  options: ShowOptions,
  run: (watcher: SwarmWatcher) => Promise<Result<SwarmResult, E>>,
): Promise<Result<SwarmResult, E>> {
  const { io, interrupted, json } = options;
  const screen = io.live && !json ? await liveScreen(io) : plainScreen(json ? io.note : io.out);
  const result = await run({
    onStart: (start) => {
      const names = start.models.map((model) => cleanLine(model.name, 300));
      const scripted = start.models.some((model) => model.scripted) ? " (scripted model: no real one is asked)" : "";
      const { info } = start;
      screen.say(
        `run ${start.runId} on ${cleanLine(info.root, 500)} at ${info.headCommit.slice(0, 12)}${info.branch === null ? "" : ` (${cleanLine(info.branch, 200)})`}`,
      );
      if (info.dirty)
        screen.say(
          `${info.dirtyPaths} uncommitted ${info.dirtyPaths === 1 ? "path is" : "paths are"} left alone: the run goes on from HEAD`,
        );
      screen.say(`model: ${names.join(", ")}${scripted}`);
      screen.say("agents' commands are not sandboxed: they have your rights, but not your keys");
    },
    onChange: (view) => screen.update(view),
    onStep: (step) => screen.step(step),
    signal: interrupted,
  });
  screen.end();
  if (result.ok) {
    printResult(io, result.value, json);
    io.exitCode = isGood(result.value) ? 0 : interrupted.aborted ? 130 : 1;
  }
  return result;
}

function printResult(io: Io, result: SwarmResult, json: boolean): void {
  const print = json ? io.note : io.out;
  for (const line of summaryLines(result, io.colors)) print(line);
  if (result.exportError !== null)
    io.note(`skein: the branch could not be made: ${explainExport(result.exportError, result.store)}`);
  if (result.checkPassed !== true && result.checkOutput !== "")
    io.note(`the check's output:\n${cleanText(result.checkOutput, 4_000)}`);
  if (json) io.out(summaryJson(result));
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
    end: () => {},
  };
}

async function liveScreen(io: Io): Promise<Screen> {
  const { default: logUpdate } = await import("log-update");
  let latest: (() => RunView) | null = null;
  let step: string | null = null;
  const draw = (): void => {
    if (latest === null) return;
    const { columns, rows } = io.size();
    logUpdate(progressFrame({ ...latest(), step, columns, rows, colors: io.colors }));
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
    end: () => {
      clearInterval(timer);
      step = null;
      draw();
      logUpdate.done();
    },
  };
}
