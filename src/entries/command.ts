// A process of the `skein` command: ports, signals, lost output and exit code. Entries say which commands it has.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../adapters/node/host.ts";
import { processIo } from "../cli/io.ts";
import { keptThough, onlyTells } from "../cli/lost-output.ts";
import { main, type NamedCommand } from "../cli/main.ts";
import { leadsNowhere } from "./closed-output.ts";
import { surroundingsOf, workingDirectory } from "./surroundings.ts";

/** Ends with the process. */
export async function startCommand(commands: readonly NamedCommand[]): Promise<void> {
  const cwd = workingDirectory();
  // Nothing is done there: `main` refuses every command before it begins.
  const surroundings = surroundingsOf(nodeHost(), cwd ?? "/");
  const args = process.argv.slice(2);
  const io = processIo();
  const stop = new AbortController();
  const stopNow = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      // The first lets a run end in order, the second ends it now and still exports what landed, the third means it.
      if (stopNow.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
      if (stop.signal.aborted) stopNow.abort();
      stop.abort();
    });
  // A closed terminal sends it more than once.
  process.on("SIGHUP", () => stop.abort());

  let outputIsLost = false;
  // Nobody reads any more (`| head`), or nothing can be written (a full disk): as if told to stop, so that what landed is exported. An
  // end that could not be told is no success.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = 1;
    if (outputIsLost) return;
    outputIsLost = true;
    const what = `the output cannot be written: ${error.message}`;
    stop.abort(`stopped, since ${what}`);
    if (error.code === "EPIPE" && onlyTells(args)) return;
    io.note(`skein: ${what}\n  ${keptThough(args)}`);
  });
  // Progress that nobody gets is no reason to lose the answer.
  process.stderr.on("error", () => {});

  const { version } = JSON.parse(readFileSync(join(surroundings.packageRoot, "package.json"), "utf8")) as {
    version: string;
  };
  const code = await main({
    commands,
    args,
    io,
    surroundings,
    directoryGone: cwd === null,
    stop: stop.signal,
    stopNow: stopNow.signal,
    version,
  });
  process.exitCode = outputIsLost ? 1 : code;
  if (args[0] === "run" && leadsNowhere(process.stdout.fd))
    io.note(`note: standard output is closed, or thrown away: nobody got the answer\n  ${keptThough(args)}`);
  // The person would not wait: what is still being stopped ends with this process.
  if (stopNow.signal.aborted) process.exit();
}
