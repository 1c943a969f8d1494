// `skein demo`: a swarm on a small project that it makes itself, with a scripted model: no key, no network.

import { resolve } from "node:path";
import type { Command } from "commander";
import { workersDefault } from "../../swarm/defaults.ts";
import { explain } from "../errors.ts";
import { showRun } from "../show-run.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags {
  readonly workers: number;
  readonly dir?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein demo --workers 2

The project, the tools, the commits and the tests are real. The model is a script (labelled "scripted model"):
its answers, tokens and prices were written beforehand.`;

export function addDemo({ program, io, surroundings, stop, stopNow }: CommandContext): void {
  program
    .command("demo")
    .description("grow a small project from its specification with a scripted swarm; needs no key")
    .option("--workers <n>", "workers at the same time", wholeNumber, workersDefault)
    .option("--dir <dir>", "where to make the project; must not exist (default: a fresh temporary directory)")
    .option("--json", "end with one line of JSON; progress goes to standard error")
    .addHelpText("after", help)
    .action(async (flags: Flags, own: Command) => {
      if (flags.dir?.trim() === "") own.error("error: --dir: the name of a directory is needed");
      const { runDemo } = await import("../../app/demo.ts");
      const options = {
        workers: flags.workers,
        directory: flags.dir === undefined ? null : resolve(surroundings.cwd, flags.dir),
      };
      const result = await showRun({ io, json: flags.json === true, stop, stopNow }, (watcher) =>
        runDemo(surroundings, options, watcher),
      );
      if (!result.ok) fail(io, explain(result.error), flags.json === true);
    });
}
