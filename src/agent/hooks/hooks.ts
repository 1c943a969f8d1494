// Runs the hooks of an event: those that match, together, and makes one answer of what they say. A no wins over a question, that over a
// yes; what they tell the model stands in the order of the configuration, whichever ended first.

import { cleanLine } from "../../base/text.ts";
import type { HookRun } from "../call-hooks.ts";
import { Slots } from "../slots.ts";
import type { ConditionCall } from "./condition.ts";
import { answerOf, type HookAnswer } from "./hook-answer.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookCommand, HookList } from "./hook-file.ts";
import { type HookEnd, type HookProcesses, runHook } from "./hook-process.ts";
import { type MatchNames, matches } from "./matcher.ts";

/** Commands of hooks that run at the same time, of all agents. */
const hooksAtOnceMax = 10;
const commandCharsShownMax = 200;

export interface HooksOptions extends HookProcesses {
  readonly list: HookList;
  /** What every hook finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Must not throw. */
  readonly onNote: (text: string) => void;
}

export interface Fired {
  readonly event: HookEvent;
  /** What matchers are compared with; null where the event has nothing to match. */
  readonly names: MatchNames | null;
  /** For `if`; left out for what is no call. */
  readonly call?: ConditionCall;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly cwd: string;
}

export interface FiredAnswer extends HookAnswer {
  readonly runs: readonly HookRun[];
}

const SILENT: FiredAnswer = {
  decision: null,
  reason: "",
  context: "",
  updatedInput: undefined,
  end: null,
  warning: "",
  runs: [],
};

export class Hooks {
  private readonly options: HooksOptions;
  private readonly slots = new Slots(hooksAtOnceMax);
  private readonly behind = new Set<Promise<unknown>>();
  private readonly ending = new AbortController();

  constructor(options: HooksOptions) {
    this.options = options;
  }

  /** Whether any hook is there for it. */
  has(event: HookEvent): boolean {
    return this.options.list.commands.some((one) => one.event === event);
  }

  /** Never rejects. */
  async fire(fired: Fired, signal: AbortSignal): Promise<FiredAnswer> {
    const commands = await this.commandsFor(fired);
    if (commands.length === 0) return SILENT;
    const ran = await Promise.all(commands.map((command) => this.run(command, fired, signal)));
    return combined(ran);
  }

  /** Ends what nobody waits for. */
  async close(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.behind);
  }

  private async commandsFor({ event, names, call }: Fired): Promise<readonly HookCommand[]> {
    const matching = this.options.list.commands.filter(
      (one) => one.event === event && (names === null || matches(one.matcher, names)),
    );
    if (matching.length === 0) return [];
    // The reader of command lines is loaded with the first condition.
    const condition = matching.some(({ condition }) => condition !== null) ? await import("./condition.ts") : null;
    const found = matching.filter(
      (one) =>
        condition === null || one.condition === null || call === undefined || condition.mayCover(one.condition, call),
    );
    // The same command of two files, or groups, is run once; where one of them is waited for, that one.
    const waitedFirst = [...found].sort((a, b) => Number(a.background) - Number(b.background));
    const once = new Map<string, HookCommand>();
    for (const one of waitedFirst) {
      const key = JSON.stringify([one.command, one.args]);
      if (!once.has(key)) once.set(key, one);
    }
    const kept = new Set(once.values());
    return found.filter((one) => kept.has(one));
  }

  private async run(command: HookCommand, fired: Fired, signal: AbortSignal): Promise<Ran> {
    const { clock } = this.options;
    if (command.background) {
      const running = this.start(command, fired, this.ending.signal);
      this.behind.add(running);
      void running.then(() => this.behind.delete(running));
      return { answer: SILENT, run: null };
    }
    const slot = await this.slots.acquire(signal);
    const [startMs, startedMs] = [clock.now(), clock.monotonicMs()];
    const end: HookEnd = slot === null ? { kind: "cancelled" } : await this.start(command, fired, signal);
    slot?.release();
    const answer = answerOf(fired.event, end);
    if (answer.warning !== "") this.options.onNote(`hook ${fired.event} (${shown(command)}): ${answer.warning}`);
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    const exitCode = end.kind === "exited" ? end.code : null;
    const run = {
      event: fired.event,
      command: shown(command),
      outcome: outcomeOf(end, answer),
      exitCode,
      startMs,
      durationMs,
    };
    return { answer, run };
  }

  private start(
    { command, args, timeoutMs }: HookCommand,
    { payload, cwd }: Fired,
    signal: AbortSignal,
  ): Promise<HookEnd> {
    const { env } = this.options;
    return runHook(this.options, { command, args, cwd, env, timeoutMs, input: payload }, signal);
  }
}

interface Ran {
  readonly answer: HookAnswer;
  /** Null for one that nobody waits for. */
  readonly run: HookRun | null;
}

function shown({ command, args }: HookCommand): string {
  return cleanLine([command, ...(args ?? [])].join(" "), commandCharsShownMax);
}

function outcomeOf(end: HookEnd, { decision, end: ends }: HookAnswer): HookRun["outcome"] {
  if (end.kind !== "exited") return end.kind;
  if (decision === "deny" || ends !== null) return "blocked";
  return end.code === 0 || end.code === 2 ? "ok" : "error";
}

const STRENGTH = ["deny", "ask", "allow"] as const;

function combined(ran: readonly Ran[]): FiredAnswer {
  const answers = ran.map(({ answer }) => answer);
  const decision = STRENGTH.find((one) => answers.some((answer) => answer.decision === one)) ?? null;
  const deciding = answers.filter((answer) => decision !== null && answer.decision === decision);
  return {
    decision,
    reason: deciding.map(({ reason }) => reason).join("\n"),
    context: answers.flatMap(({ context }) => (context === "" ? [] : [context])).join("\n\n"),
    // As where one writes after another.
    updatedInput: answers.findLast(({ updatedInput }) => updatedInput !== undefined)?.updatedInput,
    end: answers.find(({ end }) => end !== null)?.end ?? null,
    warning: "",
    runs: ran.flatMap(({ run }) => run ?? []),
  };
}
