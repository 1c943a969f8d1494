// `skein run "<task>"`: one agent in the current directory.

import type { AgentEvent, AgentResult } from "../../agent/spec.ts";
import type { RunResult, RunStart } from "../../app/run.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { adviceFor, modelAdvice } from "../advice.ts";
import { explain } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../json.ts";
import { count, dollars, duration, plural } from "../render/figures.ts";
import { modelLines } from "../render/start.ts";
import { type AskingFlags, addAskingFlags, settingsOf } from "../run-flags.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags extends AskingFlags {
  readonly maxTurns: number;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein run "Fix the failing test in test/parser.test.js" --model anthropic/claude-haiku-4-5 --budget 0.50
  $ skein run "Explain the build" --model ollama/qwen3:8b

Keys come from the environment: see docs/configuration.md.
The agent reads and changes files of the current directory and runs shell commands there, with your rights:
there is no sandbox and no approval in this version.`;

export function addRun({ program, io, surroundings, stop }: CommandContext): void {
  const command = program
    .command("run")
    .description("let one agent do a task in the current directory")
    .argument("<task>", "what is to be done, in words")
    .option("--model <name>", "the model (or set SKEIN_MODEL)")
    .option("--max-turns <n>", "model requests at the most", wholeNumber, 100);
  addAskingFlags(command)
    .option("--json", "end with one line of JSON; progress goes to standard error")
    .addHelpText("after", help)
    .action(async (task: string, flags: Flags) => {
      const { runTask } = await import("../../app/run.ts");
      const json = flags.json === true;
      const print = json ? io.note : io.out;
      const result = await runTask(
        surroundings,
        { task, flags: settingsOf(flags, surroundings.cwd), turnsMax: flags.maxTurns },
        {
          onStart: (start) => {
            for (const line of runStartLines(start)) print(line);
          },
          onEvent: (event) => show(print, event),
          onNote: (text) => print(`note: ${cleanLine(text, 1_000)}`),
          signal: stop,
        },
      );
      if (!result.ok) return fail(io, explain(result.error), json);
      finish(io, result.value, json);
    });
}

function runStartLines({ runId, directory, role, settings, turnsMax }: RunStart): readonly string[] {
  const { budgetUsd, minutes } = settings.limits;
  const budget = budgetUsd === null ? "budget: none" : `budget: ${dollars(budgetUsd.value)}`;
  const time = minutes === null ? "" : `, ${minutes.value} min`;
  return [
    `run ${runId} in ${cleanLine(directory, 500)}`,
    ...modelLines([role]),
    `${budget}; limits: ${plural(turnsMax, "request")}${time}`,
    ...settings.notes.map((note) => `note: ${cleanLine(note, 1_000)}`),
    "shell commands are not sandboxed: they run with your rights, without your keys",
  ];
}

function show(print: (line: string) => void, event: AgentEvent): void {
  if (event.kind === "call-started") {
    const value =
      event.call.arguments.kind === "parsed" ? JSON.stringify(event.call.arguments.value) : "(malformed arguments)";
    print(`> ${cleanLine(event.call.name, 60)} ${cleanLine(value, 160)}`);
  }
  if (event.kind === "call-ended" && event.result.isError)
    print(`  ${event.outcome}: ${cleanLine(event.result.text, 300)}`);
}

function finish(io: Io, { runId, provider, result, wallMs, transcript }: RunResult, json: boolean): void {
  const print = json ? io.note : io.out;
  const { usage, costUsd } = result.totals;
  const good = result.kind === "stopped" || result.kind === "ended";
  print("");
  print(cleanText(lastWords(result), 20_000));
  print("");
  print(
    `${plural(result.requests, "request")} in ${duration(wallMs)}: ${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out, ${dollars(costUsd)}${provider.scripted ? " (scripted)" : ""}`,
  );
  const advice = adviceOn(result);
  if (advice !== null) print(`next: ${advice}`);
  print(`transcript: ${transcript}`);
  if (json) {
    const { inputTokens, cachedTokens, outputTokens } = usage;
    io.out(
      jsonLine({
        runId,
        outcome: result.kind,
        text: lastWords(result),
        requests: result.requests,
        inputTokens,
        cachedTokens,
        outputTokens,
        costUsd,
        wallMs: Math.round(wallMs),
        model: provider.name,
        scripted: provider.scripted,
        label: provider.scripted ? "scripted model" : null,
        transcript,
      }),
    );
  }
  io.exitCode = good ? 0 : result.kind === "cancelled" ? 130 : 1;
}

function adviceOn(result: AgentResult): string | null {
  if (result.kind === "model-error") return modelAdvice(result.error.code);
  return result.kind === "budget" ? adviceFor(result.reason) : null;
}

function lastWords(result: AgentResult): string {
  switch (result.kind) {
    case "stopped":
      return result.text;
    case "ended":
      return "done";
    case "turn-limit":
      return `stopped at the limit of ${plural(result.turnsMax, "model request")}; what was changed is kept`;
    case "no-progress":
      return `stopped without progress: ${result.reason}; what was changed is kept`;
    case "model-error":
      return `the model failed (${result.error.code}): ${result.error.message}; what was changed is kept`;
    case "budget":
      return `stopped by its budget: ${result.reason}`;
    case "cancelled":
      return "stopped by you; what was changed is kept";
    case "record-failed":
      return `stopped, since its transcript cannot be written: ${result.error.message}`;
  }
}
