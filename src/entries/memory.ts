// `skein memory show` and `search` by themselves, in a file of their own: agents ask often, and most of what it takes would else be loading
// the command line. `skein.ts` comes here with the plain flags. Invariant: it answers as the command does.

import { nodeClock } from "../adapters/node/clock.ts";
import { directOutputs } from "../adapters/node/direct-output.ts";
import { internalError } from "../cli/fail.ts";
import { plainMemory } from "../cli/memory-flags.ts";
import { plainIo } from "../cli/plain-io.ts";
import { runMemory } from "../cli/show-memory.ts";

// Nobody reads any more (`| head`): an end that could not be told is no success.
const outputs = directOutputs({ out: () => process.exit(1), note: () => process.exit(1) });
const io = plainIo(null, outputs);
const args = process.argv.slice(3);
void main();

async function main(): Promise<void> {
  const flags = plainMemory(args);
  const { env, platform, pid } = process;
  const surroundings = { env, platform, cwd: process.cwd(), processId: pid, host: { clock: nodeClock } };
  try {
    if (flags !== null) await runMemory(io, surroundings, flags);
    process.exitCode = io.exitCode;
  } catch (error) {
    process.exitCode = internalError(io, error, args.includes("--json"));
  }
  // Ending by itself, the process takes its heap apart first.
  if (outputs.out.isDone && outputs.note.isDone) process.exit();
}
