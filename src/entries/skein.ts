// The `skein` command. It is read by whatever Node there is: a look at the version first, then the program, which needs a newer one.
// A hook goes its own way, without loading the command, and says nothing even where it cannot run; so do `who` with its plain flags,
// `memory show` and `memory search` with theirs, `statusline`, `mcp`, and the larger ones that are asked often.

import { plainMemory } from "../cli/memory-flags.ts";
import { statusPlace } from "../cli/statusline/places.ts";
import { plainFlags } from "../cli/who-flags.ts";
import { keepCompiled } from "./keep-compiled.ts";

const majorMin = 24;

const isNew = Number(process.versions.node.split(".")[0]) >= majorMin;
const [, , command, client] = process.argv;
if (command === "hook" && client !== undefined && !client.startsWith("-")) {
  if (isNew) await import("./hook.ts");
} else if (isNew) {
  keepCompiled(process.env);
  const alone = aloneFile(command);
  if (alone === null) await import("./main.ts");
  else process.getBuiltinModule("node:module").createRequire(import.meta.url)(alone);
} else {
  process.stderr.write(
    `skein needs Node ${majorMin} or newer, this is ${process.version}\n  put a newer node first on the PATH\n`,
  );
  process.exitCode = 2;
}

/** The file that a command has for itself; null from source, where there is no bundle, and for what goes the whole way. */
function aloneFile(command: string | undefined): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const rest = process.argv.slice(3);
  if (command === "run") return "./run.cjs";
  if (command === "vcs" || command === "serve") return "./vcs.cjs";
  if (command === "swarm" || command === "runs" || command === "demo") return "./swarm.cjs";
  if (command === "mcp" && rest.length === 0) return "./mcp.cjs";
  if (command === "memory" && plainMemory(rest) !== null) return "./memory.cjs";
  if (command === "who" && plainFlags(rest) !== null) return "./who.cjs";
  return command === "statusline" && statusPlace(rest) !== null ? "./statusline.cjs" : null;
}
