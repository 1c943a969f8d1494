// `dist/skein.cjs`, what the command starts: a look at the version first, since it is read by whatever Node there is, then the file that a
// command has for itself, or all of Skein. CommonJS, and nothing but this until then: Node's loader of ES modules is not started for what is
// asked often.

import { plainMemory } from "../cli/memory-flags.ts";
import { statusPlace } from "../cli/statusline/places.ts";
import { plainFlags } from "../cli/who-flags.ts";
import { keepCompiled } from "./keep-compiled.ts";

const majorMin = 24;
const [, , command, ...rest] = process.argv;

if (Number(process.versions.node.split(".")[0]) < majorMin) {
  // A hook says nothing even where it cannot run.
  if (!isHook()) {
    process.stderr.write(
      `skein needs Node ${majorMin} or newer, this is ${process.version}\n  put a newer node first on the PATH\n`,
    );
    process.exitCode = 2;
  }
} else {
  const alone = aloneFile();
  if (alone === null) void import("./skein.ts");
  else {
    keepCompiled(process.env);
    require(alone);
  }
}

function isHook(): boolean {
  return command === "hook" && rest[0] !== undefined && !rest[0].startsWith("-");
}

/** The file that a command has for itself; null for what goes the whole way. */
function aloneFile(): string | null {
  if (command === "run") return "./run.cjs";
  if (command === "vcs" || command === "serve") return "./vcs.cjs";
  if (command === "swarm" || command === "runs" || command === "demo") return "./swarm.cjs";
  if (command === "mcp" && rest.length === 0) return "./mcp.cjs";
  if (command === "memory" && plainMemory(rest) !== null) return "./memory.cjs";
  if (command === "who" && plainFlags(rest) !== null) return "./who.cjs";
  return command === "statusline" && statusPlace(rest) !== null ? "./statusline.cjs" : null;
}
