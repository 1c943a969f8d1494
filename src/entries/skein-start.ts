// `dist/skein.cjs`, what the command starts: a look at the version first, since it is read by whatever Node there is, then the file that a
// command has for itself, or all of Skein. CommonJS, and nothing but this until then: Node's loader of ES modules is not started for what is
// asked often.

import { plainMemory } from "../cli/memory-flags.ts";
import { statusPlace } from "../cli/statusline/places.ts";
import { plainFlags } from "../cli/who-flags.ts";
import { compiledPlace, keepCompiled } from "./keep-compiled.ts";
import { runKept } from "./kept-program.ts";

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
  const [alone, kind] = aloneFile() ?? [];
  if (alone === undefined) void import("./skein.ts");
  else if (kind === undefined) {
    keepCompiled(process.env);
    const file = `./${alone}.cjs`;
    require(file);
  } else {
    const kindOf = (): string => `${kind}${rest.includes("--json") ? "-json" : ""}`;
    const place = compiledPlace(process.env);
    runKept(alone, { directory: __dirname, place, require, kindOf, takenOfKind: 3, checkedEvery: 4 });
  }
}

function isHook(): boolean {
  return command === "hook" && rest[0] !== undefined && !rest[0].startsWith("-");
}

/**
 * The file that a command has for itself, and what this run has in common with others where its compiled form is taken when it ends: agents and
 * people wait for these often. Null for what goes the whole way.
 */
function aloneFile(): readonly [string, string?] | null {
  if (command === "run") return ["run"];
  if (command === "vcs" || command === "serve") return ["vcs"];
  if (command === "swarm" || command === "runs" || command === "demo") return ["swarm"];
  if (command === "mcp" && rest.length === 0) return ["mcp"];
  if (command === "memory" && plainMemory(rest) !== null) return ["memory", rest[0] ?? ""];
  if (command === "who" && plainFlags(rest) !== null) return ["who", "who"];
  return command === "statusline" && statusPlace(rest) !== null ? ["statusline"] : null;
}
