// `skein eval run <suite>`: measures, or goes on measuring, and writes the report.

import { type Command, Option } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { evalEndLines, startLines } from "../render/eval-progress.ts";
import { reportNotes } from "../render/eval-report.ts";
import { amount } from "../run-flags.ts";
import { evalScreen } from "../show-eval.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags {
  readonly baseUrl?: readonly string[];
  readonly budget?: number;
  readonly maxMinutes?: number;
  readonly requestsPerMinute?: number;
  readonly conditions?: readonly string[];
  readonly runs?: number;
  readonly model?: string;
  readonly scale?: number;
  readonly jobs?: number;
  readonly out?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein eval run parallelism                                   (a scripted model: no key, about five minutes)
  $ skein eval run parallelism --scale 0.1 --out /tmp/quick
  $ skein eval run parallelism --model anthropic/claude-haiku-4-5 --runs 10 --budget 0.50 --out results/haiku

A suite is a directory with suite.yaml, by its path or its name below evals/. Each run is the real program in a fresh copy of
the task's workspace, with a home and a state directory of its own; the conditions are mixed in a random, seeded order.
Before the first run the suite's own solutions are run: its checks must pass the right ones and fail the wrong ones.

Ctrl-C keeps what is done; the same command goes on with the rest, and with a larger --runs with more.
More than one job at a time makes the runs slow each other down: for figures of time leave it at 1.
Exit codes: 0 all runs are done, 1 not all, 2 nothing was begun, 130 stopped by Ctrl-C.`;

export function addEvalRun(evaluation: Command, context: CommandContext): void {
  evaluation
    .command("run")
    .description("run a suite: tasks × conditions × repetitions; a second start goes on")
    .argument("<suite>", "its directory, or its name below evals/")
    .option("--conditions <names>", "only these, with commas between them", names)
    .option("--runs <n>", "repetitions of each task in each condition (default: the suite's)", wholeNumber)
    .option("--model <name>", "the model of every run (default: the suite's)")
    .option("--scale <factor>", "of a scripted model's delays: 0.1 makes them a tenth", amount)
    .option("--jobs <n>", "runs at the same time (default: 1)", wholeNumber)
    .option("--out <dir>", "where the results go (default: eval-results/<suite>)")
    .addOption(
      new Option("--base-url <url>", "where a provider is asked: <provider>=<url>, or <url> (repeatable)").argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    )
    .option("--budget <usd>", "dollars of each single run", amount)
    .option("--max-minutes <n>", "time of each single run", amount)
    .option("--requests-per-minute <n>", "model requests a minute, of each single run", wholeNumber)
    .option("--json", "one line of JSON at the end")
    .addHelpText("after", help)
    .action((suite: string, flags: Flags) => run(context, suite, flags));
}

async function run({ io, surroundings, stop }: CommandContext, suite: string, flags: Flags): Promise<void> {
  const { runEval } = await import("../../app/eval-run.ts");
  const json = flags.json === true;
  const { conditions, runs, model, scale, jobs, out } = flags;
  const { clock } = surroundings.host;
  const screen = await evalScreen(io, () => clock.monotonicMs());
  const onStop = () => screen.say(["stopping: the runs that are at work are given up, what is done is kept"]);
  stop.addEventListener("abort", onStop, { once: true });
  const ended = await runEval(
    surroundings,
    { suite, conditions, runs, model, scale, jobs, out, flags: runFlags(flags) },
    {
      onPlan: (planned) => screen.say(startLines(planned)),
      onProgress: (event) => screen.progress(event),
      stop,
    },
  );
  screen.end();
  if (!ended.ok) return fail(io, explain(ended.error), json);
  const end = ended.value;
  for (const line of evalEndLines(end, suite)) io.note(line);
  if (end.error !== null) return fail(io, explain(end.error), json);
  io.exitCode = end.stopped ? 130 : end.done < end.total ? 1 : 0;
  if (end.stopped || end.done === 0) {
    if (json) io.out(jsonLine({ directory: end.directory, total: end.total, done: end.done, stopped: end.stopped }));
    return;
  }
  const { evalReport } = await import("../../app/eval-report.ts");
  const shown = await evalReport(surroundings, { directory: end.directory, out: undefined });
  if (!shown.ok) return fail(io, explain(shown.error), json);
  const { report, files, markdown } = shown.value;
  if (json)
    io.out(
      jsonLine({ directory: end.directory, total: end.total, done: end.done, stopped: end.stopped, files, report }),
    );
  else io.out(markdown.trimEnd());
  for (const note of reportNotes(shown.value)) io.note(note);
}

/** What each run is given of these. */
function runFlags({ baseUrl = [], budget, maxMinutes, requestsPerMinute }: Flags): readonly string[] {
  const numbers = [
    ["--budget", budget],
    ["--max-minutes", maxMinutes],
    ["--requests-per-minute", requestsPerMinute],
  ] as const;
  return [
    ...baseUrl.flatMap((url) => ["--base-url", url]),
    ...numbers.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)])),
  ];
}

function names(text: string): readonly string[] {
  return text.split(",").map((name) => name.trim());
}
