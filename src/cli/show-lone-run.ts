// Shows a lone run while it goes on and after it: a live frame or plain lines on standard error, and on standard output the answer,
// one line of JSON, or every event as a line of JSON. Invariant: nothing but what was asked for reaches standard output.

import type { ApprovalEvent } from "../agent/approval/question.ts";
import type { FamilyEvent } from "../agent/family-event.ts";
import type { AgentEvent } from "../agent/spec.ts";
import type { RunResult, RunStart, RunWatcher } from "../app/run-types.ts";
import type { AgentId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import { askingPerson, type QuestionScreen } from "./ask-person.ts";
import type { Io } from "./io.ts";
import { jsonLine } from "./json.ts";
import { RunBoard } from "./render/run-board.ts";
import { approvalJson, eventJson, familyJson, startJson } from "./render/run-events.ts";
import { approvalLines, eventLines, familyLines, textLines } from "./render/run-lines.ts";
import { answerText, endLines, exitCodeOf, resultJson, runStartLines } from "./render/run-report.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface ShowLoneRun {
  readonly io: Io;
  readonly format: OutputFormat;
  readonly stop: AbortSignal;
  readonly stopNow: AbortSignal;
  /** Milliseconds; any begin will do. */
  readonly now: () => number;
}

/** Least time between two frames. */
const frameMs = 100;

/** Runs, shows, prints the end and sets the exit code. */
export async function showLoneRun<E>(
  options: ShowLoneRun,
  run: (watcher: RunWatcher) => Promise<Result<RunResult, E>>,
): Promise<Result<RunResult, E>> {
  const { io, format, stop, stopNow } = options;
  const screen = io.liveNotes ? await liveScreen(options) : plainScreen(options);
  const stream = format === "stream-json" ? (event: object) => io.out(jsonLine(event)) : () => {};
  const onStop = (): void =>
    screen.notice("stopping: calls and children are ended; Ctrl-C once more does not wait for them");
  stop.addEventListener("abort", onStop, { once: true });
  const watch = new Watch(screen, stream);
  const keys = io.keys();
  const waiting = new Set<number>();
  const behind = (): number => waiting.size - 1;
  const result = await run({
    onStart: (start) => watch.start(start),
    onEvent: (event) => watch.event(event),
    onFamily: (event) => watch.family(event),
    onNote: (text) => {
      screen.say([`note: ${cleanLine(text, 1_000)}`]);
      stream({ type: "note", text });
    },
    onApproval: (event) => {
      const { number } = event.question;
      if (event.kind === "waiting") waiting.add(number);
      else waiting.delete(number);
      screen.approval(event);
      stream(approvalJson(event));
    },
    person: keys === null ? null : askingPerson({ io, keys, screen, behind }),
    stop,
    stopNow,
  });
  stop.removeEventListener("abort", onStop);
  screen.end();
  if (result.ok) finish(io, format, result.value);
  return result;
}

function finish(io: Io, format: OutputFormat, result: RunResult): void {
  if (format === "text") {
    const answer = answerText(result);
    if (answer !== null) io.out(answer);
  }
  for (const line of endLines(result)) io.note(line);
  if (format === "json") io.out(jsonLine(resultJson(result)));
  if (format === "stream-json") io.out(jsonLine({ type: "result", ...resultJson(result) }));
  io.exitCode = exitCodeOf(result);
}

/** Hands each event to the screen and to the stream of JSON, with the text that an agent says beside its calls. */
class Watch {
  readonly #screen: Screen;
  readonly #stream: (event: object) => void;
  #root: AgentId | null = null;
  readonly #texts = new Map<AgentId, string>();

  constructor(screen: Screen, stream: (event: object) => void) {
    this.#screen = screen;
    this.#stream = stream;
  }

  start(start: RunStart): void {
    this.#root = start.agent;
    this.#screen.start(start);
    this.#stream(startJson(start));
  }

  event(event: AgentEvent): void {
    if (this.#root !== null) this.#of(this.#root, null, event);
  }

  family(event: FamilyEvent): void {
    if (event.kind === "child-event") return this.#of(event.child, event.parent, event.event);
    this.#screen.family(event);
    this.#stream(familyJson(event));
  }

  #of(agent: AgentId, parent: AgentId | null, event: AgentEvent): void {
    const said = this.#said(agent, event);
    if (said !== null) this.#screen.say(textLines(said));
    this.#screen.event(agent, event);
    const json = eventJson({ agent, parent }, event);
    if (json !== null) this.#stream(json);
  }

  /** What the agent said in the answer that has just come, where calls follow it; the last words are printed as the answer. */
  #said(agent: AgentId, event: AgentEvent): string | null {
    const before = this.#texts.get(agent) ?? "";
    if (event.kind === "text") this.#texts.set(agent, before + event.text);
    if (event.kind === "request-started") this.#texts.delete(agent);
    // What a failed attempt said is void.
    if (event.kind === "attempt" && event.attempt.kind === "ended" && event.attempt.report.error !== null)
      this.#texts.delete(agent);
    if (event.kind !== "request-ended") return null;
    this.#texts.delete(agent);
    return event.report.outcome === "calls" && agent === this.#root ? before : null;
  }
}

interface Screen extends QuestionScreen {
  approval(event: ApprovalEvent): void;
  start(start: RunStart): void;
  event(agent: AgentId, event: AgentEvent): void;
  family(event: FamilyEvent): void;
  /** What everybody should see while it holds. */
  notice(text: string): void;
  end(): void;
}

interface Begun {
  readonly board: RunBoard;
  readonly start: RunStart;
  readonly startedMs: number;
}

function plainScreen({ io, now }: ShowLoneRun): Screen {
  const say = (lines: readonly string[]): void => {
    for (const line of lines) io.note(line);
  };
  return {
    ...tracked({ io, now, live: false }, say).screen,
    say,
    asks: (line) => say(line === null ? [] : [line()]),
    notice: (text) => say([text]),
    end: () => {},
  };
}

async function liveScreen({ io, now }: ShowLoneRun): Promise<Screen> {
  // What measures the width of characters takes longer to load than all else of a run.
  const [frames, { runFrame }] = await Promise.all([io.noteFrames(), import("./render/run-frame.ts")]);
  const say = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    frames.say(lines.join("\n"));
    draw();
  };
  let notice: string | null = null;
  let question: (() => string) | null = null;
  const { screen, begun } = tracked({ io, now, live: true }, say);
  const draw = (): void => {
    const run = begun();
    if (run === null) return;
    const { columns, rows } = io.size();
    const { board, start, startedMs } = run;
    const scripted = start.roles.some((role) => role.scripted) ? " · scripted model" : "";
    const title = `skein ${start.runId}${scripted}`;
    frames.draw(
      runFrame({
        title,
        board,
        notice,
        question: question?.() ?? null,
        startedMs,
        nowMs: now(),
        columns,
        rows,
        colors: io.noteColors,
      }),
    );
  };
  // Redrawn by time and not by event: times go on, and a burst of events costs one frame.
  const timer = setInterval(draw, frameMs);
  return {
    ...screen,
    say,
    asks: (line) => {
      question = line;
      draw();
    },
    notice: (text) => {
      notice = text;
    },
    end: () => {
      clearInterval(timer);
      // What ran is told by its own lines: the frame gives way to the end.
      frames.clear();
      frames.done();
    },
  };
}

/** The board of a run, and the lines of its events. */
function tracked(
  { io, now, live }: Pick<ShowLoneRun, "io" | "now"> & { readonly live: boolean },
  say: (lines: readonly string[]) => void,
): { readonly screen: Pick<Screen, "start" | "event" | "family" | "approval">; readonly begun: () => Begun | null } {
  let run: Begun | null = null;
  const colors = io.noteColors;
  const screen = {
    start: (start: RunStart) => {
      run = { start, board: new RunBoard(start.agent, start.task, now()), startedMs: now() };
      say(runStartLines(start));
    },
    event: (agent: AgentId, event: AgentEvent) => {
      if (run === null) return;
      const { board, start } = run;
      const lines = eventLines(agent, event, { board, root: start.agent, nowMs: now(), colors, live });
      board.see(agent, event, now());
      say(lines);
    },
    family: (event: FamilyEvent) => {
      if (run === null) return;
      const { board, start } = run;
      const lines = familyLines(event, { board, root: start.agent, nowMs: now(), colors, live });
      board.family(event, now());
      say(lines);
    },
    approval: (event: ApprovalEvent) => {
      if (run === null) return;
      const { board, start } = run;
      board.approval(event, now());
      say(approvalLines(event, { board, root: start.agent, nowMs: now(), colors, live }));
    },
  };
  return { screen, begun: () => run };
}
