// `skein swarm "<goal>"`: many agents on one repository, the result on a branch. With --resume it goes on with a run.

import { resolve } from "node:path";
import type { Command } from "commander";
import { requestsMaxDefault, workersDefault } from "../../swarm/defaults.ts";
import { explain } from "../errors.ts";
import { type AskingFlags, addAskingFlags, addSandboxFlags, settingsOf } from "../run-flags.ts";
import { showRun } from "../show-run.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";
import { addStatus } from "./swarm-status.ts";
import { addStop } from "./swarm-stop.ts";

interface Flags extends AskingFlags {
  readonly repo?: string;
  readonly resume?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein swarm "Add a --json flag to every command" --repo ~/src/tool --model anthropic/claude-haiku-4-5 --budget 5
  $ skein swarm "Port the parser" --planner anthropic/claude-opus-4-6 --worker openai-compatible/qwen3-coder \\
      --base-url http://127.0.0.1:8080/v1 --workers 8 --check "npm test"
  $ skein swarm --resume 20261129-230501-ab3d --budget 10
  $ skein swarm status 20261129-230501-ab3d
  $ skein swarm -- status          (a goal that is called like a command)

Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, …), everything else also from skein.config.json
and your own configuration file: see docs/configuration.md.
The repository's working tree is not touched: the run starts from HEAD and ends on a branch skein/<run>.
Ctrl-C once ends it in order, twice at once; what landed is exported either way, and --resume goes on.
Agents' shell commands run in a sandbox on Linux (docs/sandbox.md); where there is none you are asked before anything begins.`;

export function addSwarm(context: CommandContext): void {
  const { program, io, surroundings, literal } = context;
  const command = program
    .command("swarm")
    .description("split a goal into tasks, let many agents work on them at once, and put the result on a git branch")
    .usage('"<goal>" [options] | --resume <run> [options] | status <run> | stop <run>')
    .argument("[goal]", "what is to be done, in words")
    .option("--repo <dir>", "the git repository (default: the one you are in); with --resume: where it is now")
    .option("--resume <run>", "go on with a run that was stopped or interrupted")
    .option("--model <name>", "model of every role (or set SKEIN_MODEL)")
    .option("--planner <name>", "model of planners")
    .option("--worker <name>", "model of workers")
    .option("--arbiter <name>", "model of arbiters (default: the workers')")
    .option("--workers <n>", `workers at the same time (default: ${workersDefault})`, wholeNumber)
    .option("--check <command>", "the project's own test command, run on the branch at the end")
    .option("--max-requests <n>", `model requests of the whole run (default: ${requestsMaxDefault})`, wholeNumber)
    .option("--max-tasks <n>", "tasks of the whole run", wholeNumber)
    .option("--max-depth <n>", "levels of planners", wholeNumber);
  addSandboxFlags(addAskingFlags(command))
    .option("--json", "end with one line of JSON; progress goes to standard error")
    .addHelpText("after", help)
    .enablePositionalOptions()
    .helpCommand(false)
    .action(async (goal: string | undefined, flags: Flags, own: Command) => {
      const { resume, json = false } = flags;
      if (goal === undefined && resume === undefined) own.error("error: neither a goal nor --resume <run> was given");
      if (goal !== undefined && resume !== undefined)
        own.error("error: a run that is resumed has its goal already: leave the goal out");
      if (flags.repo?.trim() === "") own.error("error: --repo: the name of a directory is needed");
      const settings = settingsOf(flags, surroundings.cwd);
      const repository = flags.repo === undefined ? null : resolve(surroundings.cwd, flags.repo);
      const shown = { io, json, stop: context.stop, stopNow: context.stopNow };
      const result = await showRun(shown, async (watcher) => {
        if (resume !== undefined) {
          const { resumeSwarm } = await import("../../app/resume.ts");
          return resumeSwarm(surroundings, { run: resume, repository, flags: settings }, watcher);
        }
        const { runSwarm } = await import("../../app/swarm.ts");
        const options = { goal: goal ?? "", repository: repository ?? surroundings.cwd, flags: settings };
        return runSwarm(surroundings, { ...options, configFiles: true }, watcher);
      });
      if (!result.ok) fail(io, explain(result.error), json);
    });
  // After `--` stands a goal, whatever it says.
  if (literal) return;
  addStatus(command, context);
  addStop(command, context);
}
