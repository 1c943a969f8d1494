// `dist/hook.cjs`, what clients start: keeps the compiled form of the hook between starts, which saves a third of each, and runs it.
// Invariant: where nothing can be kept, the hook runs all the same. The build puts a look at Node's version before it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { compiledPlace, keepCompiled } from "./keep-compiled.ts";
import { runKept } from "./kept-program.ts";

/** Made by scripts/hook-parts.ts. */
const CORE = "hook-core";
const PART = /^\.\/hook-part-[a-z]+\.cjs$/;
/** The launcher brings a status line and the MCP server here, too; their programs are in this folder where all of Skein is. */
const PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["statusline", ["statusline", "claude-code"]],
  ["mcp", ["mcp"]],
]);

const program = process.argv[2] ?? "";
const words = PROGRAMS.get(program);
const isOff = process.env.SKEIN_HOOKS_OFF === "1";
const beside = join(__dirname, `${program}.cjs`);
if (words !== undefined && existsSync(beside)) {
  if (!isOff) keepCompiled(process.env);
  process.argv.splice(2, 1, ...words);
  require(beside);
} else {
  // What happened is told by the core: the form of all that every event loads is taken after those that come again and again.
  let happened: { readonly kind: string | null; readonly often: boolean } = { kind: null, often: false };
  runKept(CORE, {
    directory: __dirname,
    place: isOff ? null : compiledPlace(process.env),
    require,
    part: PART,
    kindOf: (name, exported) => {
      if (name === CORE) ({ happened } = exported as { happened: typeof happened });
      return name === CORE && !happened.often ? null : happened.kind;
    },
    takenOfKind: 1,
    // The launcher removes a form on which Node has crashed.
    checkedEvery: 256,
  });
}
