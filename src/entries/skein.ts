// The `skein` command's process: ports, signals and exit code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../adapters/node/host.ts";
import { processIo } from "../cli/io.ts";
import { main } from "../cli/main.ts";
import { surroundingsOf } from "./surroundings.ts";

const surroundings = surroundingsOf(nodeHost());
const interrupt = new AbortController();
process.on("SIGINT", () => {
  // The first one lets a run end in order and export what landed; the second means now.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort();
});
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
// Nobody reads any more (`| head`, a closed terminal): as if told to stop, so that what landed is still exported.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => interrupt.abort());

const { version } = JSON.parse(readFileSync(join(surroundings.packageRoot, "package.json"), "utf8")) as {
  version: string;
};
process.exitCode = await main({
  args: process.argv.slice(2),
  io: processIo(),
  surroundings,
  interrupted: interrupt.signal,
  version,
});
