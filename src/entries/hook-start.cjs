// What clients start: keeps the compiled form of the hook between starts, which saves a third of each, and runs it. In one folder with it.
// Invariant: where nothing can be kept, the hook runs all the same.
"use strict";
// A Node that was replaced by an older one in its place: told before the input is read, so that the launcher gives it to another.
if (Number(process.versions.node.split(".")[0]) < 24) process.exit(99);
const { existsSync, mkdirSync, statSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { enableCompileCache } = require("node:module");

const { XDG_CACHE_HOME: caches, HOME: home, SKEIN_HOOKS_OFF: off } = process.env;
const [base, ...below] = caches ? [caches, "skein"] : [home ?? "", ".cache", "skein"];
const place = join(base, ...below, "compiled");
// A relative place would be one in somebody's repository, and a home that is not there is not ours to make.
if (base.startsWith("/") && off !== "1" && isDirectory(base) && isThere(place)) enableCompileCache?.(place);
// The launcher brings a status line and the MCP server here, too; their programs are in this folder where all of Skein is.
const PROGRAMS = { statusline: ["statusline", "claude-code"], mcp: ["mcp"] };
const program = process.argv[2];
const beside = Object.hasOwn(PROGRAMS, program) ? join(__dirname, `${program}.cjs`) : null;
if (beside !== null && existsSync(beside)) {
  process.argv.splice(2, 1, ...PROGRAMS[program]);
  require(beside);
} else require("./hook-main.cjs");

/** Made here, one directory after the other: Node, asked for several, tries for ever below a place like /proc. As in keep-compiled.ts. */
function isThere(path) {
  if (isDirectory(path)) return true;
  if (dirname(path) === path || !isThere(dirname(path))) return false;
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    // Another process may have made it meanwhile.
    return isDirectory(path);
  }
}

function isDirectory(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
