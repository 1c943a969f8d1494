// `skein run "<task>"`: one agent in the current directory.

import type { AgentEvent, AgentResult } from "../../agent/spec.ts";
import type { RunResult } from "../../app/run.ts";
import { variable } from "../../app/surroundings.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { explain } from "../errors.ts";
import type { Io } from "../io.ts";
import { count, dollars, duration, plural } from "../render/figures.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags {
  readonly model?: string;
  readonly maxTurns: number;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein run "Fix the failing test in test/parser.test.js" --model script:answers.yaml

The agent reads and changes files of the current directory and runs shell commands there, with your rights:
there is no sandbox and no approval in this version.`;

export function addRun({ program, io, surroundings, interrupted }: CommandContext): void {
  program
    .command("run")
    .description("let one agent do a task in the current directory")
    .argument("<task>", "what is to be done, in words")
    .option("--model <name>", "the model (or set SKEIN_MODEL)")
    .option("--max-turns <n>", "model requests at the most", wholeNumber, 100)
    .option("--json", "end with one line of JSON; progress goes to standard error")
    .addHelpText("after", help)
    .action(async (task: string, flags: Flags) => {
      const { runTask } = await import("../../app/run.ts");
      const json = flags.json === true;
      const print = json ? io.note : io.out;
      const model = flags.model ?? variable(surroundings.env, "SKEIN_MODEL");
      const result = await runTask(
        surroundings,
        { task, model, turnsMax: flags.maxTurns },
        {
          onStart: ({ runId, provider, directory }) => {
            const scripted = provider.scripted ? " (scripted model: no real one is asked)" : "";
            print(`run ${runId} in ${cleanLine(directory, 500)}\nmodel: ${cleanLine(provider.name, 300)}${scripted}`);
            print("shell commands are not sandboxed: they run with your rights, without your keys");
          },
          onEvent: (event) => show(print, event),
          signal: interrupted,
        },
      );
      if (!result.ok) return fail(io, explain(result.error), json);
      finish(io, result.value, json);
    });
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
  print(`transcript: ${transcript}`);
  if (json) {
    const { inputTokens, cachedTokens, outputTokens } = usage;
    io.out(
      JSON.stringify({
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
