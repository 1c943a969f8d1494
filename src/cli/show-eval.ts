// Shows a measurement while it goes on: a line for each run that is done, and on a terminal below them, redrawn in place, which runs are at
// work, for how long, and how long the rest may take.

import { slotName } from "../evals/plan.ts";
import type { EvalProgress } from "../evals/run-suite.ts";
import type { Io } from "./io.ts";
import { progressLine } from "./render/eval-progress.ts";
import { duration } from "./render/figures.ts";

export interface EvalScreen {
  say(lines: readonly string[]): void;
  progress(event: EvalProgress): void;
  /** What is redrawn goes, the lines stay. */
  end(): void;
}

/** Least time between two frames. */
const frameMs = 250;
const slotsShownMax = 10;

/** `now` is in milliseconds; any begin will do. */
export async function evalScreen(io: Io, now: () => number): Promise<EvalScreen> {
  const beganMs = now();
  const work = new AtWork(now);
  const line = (event: EvalProgress) => progressLine(event, now() - beganMs);
  if (!io.liveNotes) {
    const say = (lines: readonly string[]) => lines.forEach(io.note);
    return { say, progress: (event) => say([line(event) ?? []].flat()), end: () => {} };
  }
  const frames = await io.noteFrames();
  const draw = () => frames.draw(work.lines().join("\n"));
  const timer = setInterval(draw, frameMs);
  const say = (lines: readonly string[]) => {
    if (lines.length > 0) frames.say(lines.join("\n"));
    draw();
  };
  return {
    say,
    progress: (event) => {
      work.see(event);
      say([line(event) ?? []].flat());
    },
    end: () => {
      clearInterval(timer);
      frames.clear();
      frames.done();
    },
  };
}

class AtWork {
  private readonly now: () => number;
  private readonly startedMs = new Map<string, number>();
  private beganMs: number | null = null;
  private done = 0;
  private total = 0;
  private before = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  see(event: EvalProgress): void {
    if (event.kind === "begin") {
      this.beganMs = this.now();
      this.total = event.total;
      this.before = event.before;
      this.done = event.before;
      return;
    }
    const name = slotName(event.slot);
    if (event.kind === "started") this.startedMs.set(name, this.now());
    else this.startedMs.delete(name);
    if (event.kind === "ended") this.done = event.done;
  }

  lines(): readonly string[] {
    if (this.beganMs === null) return ["the suite's own solutions are run first"];
    const made = this.done - this.before;
    const eachMs = made === 0 ? null : (this.now() - this.beganMs) / made;
    const left = eachMs === null ? "" : `, about ${duration(eachMs * (this.total - this.done))} left`;
    const running = [...this.startedMs].map(([name, fromMs]) => `  ${name}  ${duration(this.now() - fromMs)}`);
    const more = running.length - slotsShownMax;
    return [
      `${this.done} of ${this.total} runs done${left}`,
      ...running.slice(0, slotsShownMax),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ];
  }
}
