// `skein run "<task>"`: one agent, and the children it delegates to, in the current directory. With --resume it goes on with a run.

import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { APPROVAL_MODES } from "../../agent/approval/mode.ts";
import type { ChildContext, LoneLimits, ResumeRunError } from "../../app/run-types.ts";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { runJson, runLines } from "../render/runs.ts";
import { type AskingFlags, addAskingFlags, addSandboxFlags, amount, gathered, settingsOf } from "../run-flags.ts";
import { readTask } from "../run-task.ts";
import { type OutputFormat, showLoneRun } from "../show-lone-run.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags extends AskingFlags {
  readonly prompt?: string | true;
  readonly resume?: string;
  readonly list?: boolean;
  readonly output?: OutputFormat;
  readonly json?: boolean;
  readonly maxTurns?: number;
  readonly parallel?: number;
  readonly children?: number;
  readonly maxChildren?: number;
  readonly depth?: number;
  readonly childMinutes?: number;
  readonly childTurns?: number;
  readonly childBudget?: number;
  readonly stagger?: boolean;
  readonly contextTokens?: number;
  readonly tools?: readonly string[];
  readonly childContext?: readonly ChildContext[];
  readonly approval?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

const help = `
Example:
  $ skein run "Fix the failing test in test/parser.test.js" --model anthropic/claude-haiku-4-5 --budget 0.50
  $ git diff | skein run -p "Review this change" --output json
  $ skein run - < task.md
  $ skein run --resume 20261129-230501-ab3d
  $ skein run --resume 20261129-230501-ab3d "Now the tests"

The answer goes to standard output, progress to standard error. What is piped in comes with the task.
Ctrl-C once cancels: calls and children are stopped, what was done is kept, and --resume goes on. Twice does not wait.
Exit codes: 0 the task is done, 1 it is not (a limit, the model), 2 nothing was begun, 130 cancelled.

Keys come from the environment: see docs/configuration.md; all else of this command is in docs/run.md.
The agent reads and changes files of the current directory and runs shell commands there: on Linux in a sandbox (bubblewrap) that writes
nowhere else and has no network, elsewhere each command is asked for. What it may do without asking: --approval, --allow, --deny.
Rules: bash(git diff *), edit_file(src/**), bash. See docs/run.md and docs/sandbox.md.`;

export function addRun(context: CommandContext): void {
  const command = context.program
    .command("run")
    .description("let one agent, and the children it delegates to, do a task in the current directory")
    .usage('"<task>" [options] | -p [task] [options] | --resume <run> ["<what next>"] | --list')
    .argument("[task]", "what is to be done, in words; - reads it from standard input")
    .option("-p, --prompt [task]", "the same; without a text, or with -, standard input is the task")
    .option("--resume <run>", "go on with a run where it stopped; a task says what is to be done next")
    .option("--list", "the runs of this command on this machine, newest first")
    .option("--model <name>", "the model (or set SKEIN_MODEL)")
    .option("--child <name>", "the model of children (default: the same)")
    .option("--max-turns <n>", "model requests of the first agent at the most (default: 100)", wholeNumber)
    .option("--max-requests <n>", "model requests of the whole run, its children's included", wholeNumber)
    .option(
      "--parallel <n>",
      "calls of one answer, and children, at once; 1: one after another (default: 10)",
      wholeNumber,
    )
    .option("--children <n>", "children at once; more wait (default: 10)", wholeNumber)
    .option("--max-children <n>", "children of the whole run; 0: none (default: 100)", wholeNumber)
    .option("--depth <n>", "levels of children (default: 1)", wholeNumber)
    .option("--child-turns <n>", "model requests of a child", wholeNumber)
    .option("--child-minutes <n>", "time of a child", amount)
    .option("--child-budget <usd>", "dollars of a child", amount)
    .option("--stagger", "children of one answer wait for the first one's first answer, so that the cache is filled")
    .option(
      "--context-tokens <n>",
      "the model's window, where it is not known: then the context is compacted in time",
      wholeNumber,
    )
    .option("--tools <names>", "the only tools that agents have, with commas between them", toolNames)
    .option(
      "--child-context <kinds>",
      "what children may get of the conversation: task-only, full, no-tools",
      contexts,
    );
  addSandboxFlags(addAskingFlags(command))
    .addOption(
      new Option("--approval <mode>", "what agents do without asking you (default: full-auto)").choices([
        ...APPROVAL_MODES,
      ]),
    )
    .addOption(
      new Option("--allow <rule>", "runs without asking, for example 'bash(npm test)' (repeatable)").argParser(
        gathered,
      ),
    )
    .addOption(
      new Option("--deny <rule>", "never runs, for example 'bash(git push *)' (repeatable)").argParser(gathered),
    )
    .addOption(
      new Option(
        "--output <format>",
        "text: the answer; json: one line at the end; stream-json: a line an event",
      ).choices(["text", "json", "stream-json"]),
    )
    .option("--json", "the same as --output json")
    .addHelpText("after", help)
    .action((task: string | undefined, flags: Flags, own: Command) => run(context, task, flags, own));
}

async function run(context: CommandContext, argument: string | undefined, flags: Flags, own: Command): Promise<void> {
  const { io, surroundings, stop, stopNow } = context;
  if (flags.json === true && flags.output !== undefined && flags.output !== "json")
    own.error(`error: --json and --output ${flags.output} exclude each other`);
  const format = flags.output ?? (flags.json === true ? "json" : "text");
  const json = format !== "text";
  if (flags.list === true) return listRuns(context, json);
  const read = await readTask({ argument, prompt: flags.prompt, input: io.input });
  if (!read.ok) return fail(io, read.error, json);
  const { task, note } = read.value;
  const { resume } = flags;
  if (task === null && resume === undefined)
    own.error('error: no task was named: skein run "<task>", or -p to read it from standard input');
  if (note !== null) io.note(`note: ${note}`);
  const options = { flags: settingsOf(flags, surroundings.cwd), limits: limitsOf(flags) };
  const { runTask, resumeTask } = await import("../../app/run.ts");
  const { clock } = surroundings.host;
  const shown = { io, format, stop, stopNow, now: () => clock.monotonicMs() };
  const result = await showLoneRun<ResumeRunError>(shown, (watcher) =>
    resume === undefined
      ? runTask(surroundings, { ...options, task: task ?? "" }, watcher)
      : resumeTask(surroundings, { ...options, run: resume, task }, watcher),
  );
  if (!result.ok) fail(io, explain(result.error), json);
}

function limitsOf(flags: Flags): LoneLimits {
  return {
    turnsMax: flags.maxTurns,
    parallel: flags.parallel,
    childrenAtOnce: flags.children,
    childrenMax: flags.maxChildren,
    depthMax: flags.depth,
    childMinutes: flags.childMinutes,
    childTurnsMax: flags.childTurns,
    childBudgetUsd: flags.childBudget,
    stagger: flags.stagger,
    contextTokens: flags.contextTokens,
    tools: flags.tools,
    childContexts: flags.childContext,
  };
}

function toolNames(text: string): readonly string[] {
  return text.split(",").map((name) => name.trim());
}

const CONTEXTS: readonly ChildContext[] = ["task-only", "full", "no-tools"];

function contexts(text: string): readonly ChildContext[] {
  return toolNames(text).map((name) => {
    const known = CONTEXTS.find((one) => one === name);
    if (known === undefined) throw new InvalidArgumentError(`One or more of ${CONTEXTS.join(", ")} are needed.`);
    return known;
  });
}

async function listRuns({ io, surroundings }: CommandContext, json: boolean): Promise<void> {
  const { listRuns: list } = await import("../../app/run-list.ts");
  const listed = await list(surroundings, "run");
  if (!listed.ok) return fail(io, explain(listed.error), json);
  if (json) return io.out(jsonLine(listed.value.map(runJson)));
  if (listed.value.length === 0) io.out("no runs yet: skein run --help");
  for (const one of listed.value) for (const line of runLines(one, io.colors)) io.out(line);
}
