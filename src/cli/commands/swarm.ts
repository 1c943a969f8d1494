// `skein swarm "<goal>"`: many agents on one repository, the result on a branch.

import { resolve } from "node:path";
import { variable } from "../../app/surroundings.ts";
import { requestsMaxDefault, workersDefault } from "../../swarm/defaults.ts";
import { explain } from "../errors.ts";
import { showRun } from "../show-run.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags {
  readonly repo?: string;
  readonly model?: string;
  readonly planner?: string;
  readonly worker?: string;
  readonly arbiter?: string;
  readonly workers: number;
  readonly check?: string;
  readonly maxRequests: number;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein swarm "Add a --json flag to every command" --repo ~/src/tool --workers 8 --check "npm test" --model script:answers.yaml

The repository's working tree is not touched: the run starts from HEAD and ends on a branch skein/<run>.
Agents' shell commands run with your rights: there is no sandbox in this version.`;

export function addSwarm({ program, io, surroundings, interrupted }: CommandContext): void {
  program
    .command("swarm")
    .description("split a goal into tasks, let many agents work on them at once, and put the result on a git branch")
    .argument("<goal>", "what is to be done, in words")
    .option("--repo <dir>", "the git repository (default: the one you are in)")
    .option("--model <name>", "model of every role (or set SKEIN_MODEL)")
    .option("--planner <name>", "model of planners")
    .option("--worker <name>", "model of workers")
    .option("--arbiter <name>", "model of arbiters (default: the workers')")
    .option("--workers <n>", "workers at the same time", wholeNumber, workersDefault)
    .option("--check <command>", "the project's own test command, run on the branch at the end")
    .option("--max-requests <n>", "model requests of the whole run", wholeNumber, requestsMaxDefault)
    .option("--json", "end with one line of JSON; progress goes to standard error")
    .addHelpText("after", help)
    .action(async (goal: string, flags: Flags) => {
      const { runSwarm } = await import("../../app/swarm.ts");
      const all = flags.model ?? variable(surroundings.env, "SKEIN_MODEL");
      const models = { planner: flags.planner ?? all, worker: flags.worker ?? all, arbiter: flags.arbiter ?? all };
      const options = {
        goal,
        repository: resolve(surroundings.cwd, flags.repo ?? "."),
        models,
        workers: flags.workers,
        check: flags.check ?? null,
        requestsMax: flags.maxRequests,
      };
      const result = await showRun({ io, interrupted, json: flags.json === true }, (watcher) =>
        runSwarm(surroundings, options, watcher),
      );
      if (!result.ok) fail(io, explain(result.error), flags.json === true);
    });
}
