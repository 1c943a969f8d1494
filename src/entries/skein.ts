// The `skein` command. It is read by whatever Node there is: a look at the version first, then the program, which needs a newer one.
// A hook goes its own way, without loading the command, and says nothing even where it cannot run; so do `who` with its plain flags and `statusline`.

import { statusPlace } from "../cli/statusline/places.ts";
import { plainFlags } from "../cli/who-flags.ts";

const majorMin = 24;

const isNew = Number(process.versions.node.split(".")[0]) >= majorMin;
const [, , command, client] = process.argv;
if (command === "hook" && client !== undefined && !client.startsWith("-")) {
  if (isNew) await import("./hook.ts");
} else if (isNew) {
  // Loaded only here: an older Node has no such module to import.
  const { keepCompiled } = await import("./keep-compiled.ts");
  keepCompiled(process.env);
  if (!(await startAlone())) await import("./main.ts");
} else {
  process.stderr.write(
    `skein needs Node ${majorMin} or newer, this is ${process.version}\n  put a newer node first on the PATH\n`,
  );
  process.exitCode = 2;
}

/** False where the arguments are not plain ones, or the bundle is not there: from source everything goes the whole way. */
async function startAlone(): Promise<boolean> {
  const rest = process.argv.slice(3);
  const program =
    command === "who" && plainFlags(rest) !== null
      ? "./who.cjs"
      : command === "statusline" && statusPlace(rest) !== null
        ? "./statusline.cjs"
        : null;
  if (program === null || import.meta.url.endsWith(".ts")) return false;
  const { createRequire } = await import("node:module");
  createRequire(import.meta.url)(program);
  return true;
}
