// What clients start: keeps the compiled form of the hook between starts, which saves a third of each, and runs it. In one folder with it.
// Invariant: where nothing can be kept, the hook runs all the same.
"use strict";
// A Node that was replaced by an older one in its place: told before the input is read, so that the launcher gives it to another.
if (Number(process.versions.node.split(".")[0]) < 24) process.exit(99);
const { existsSync, mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const { XDG_CACHE_HOME: caches, HOME: home, SKEIN_HOOKS_OFF: off } = process.env;
const [base, ...below] = caches ? [caches, "skein"] : [home ?? "", ".cache", "skein"];
const place = join(base, ...below, "compiled");
// A relative place would be one in somebody's repository.
const keeps = base.startsWith("/") && off !== "1";
/** Each new kind costs one event the writing of all. */
const KINDS_MAX = 40;
// The launcher brings a status line and the MCP server here, too; their programs are in this folder where all of Skein is.
const PROGRAMS = { statusline: ["statusline", "claude-code"], mcp: ["mcp"] };
/** Made by scripts/hook-parts.ts. */
const CORE = "hook-core";
const PART = /^\.\/hook-part-[a-z]+\.cjs$/;
const program = process.argv[2];
const beside = Object.hasOwn(PROGRAMS, program) ? join(__dirname, `${program}.cjs`) : null;
if (beside !== null && existsSync(beside)) {
  if (keeps && canKeep()) require("node:module").enableCompileCache?.(place);
  process.argv.splice(2, 1, ...PROGRAMS[program]);
  require(beside);
} else runHook();

/**
 * Node's own cache holds what a program has compiled when it begins. This one is taken when it ends, after each frequent kind of event once, and so
 * has the functions that were called; of a part, after each kind of event that needs it. One line of text comes before V8's data: the program's
 * stamp, the kinds, and spaces up to a multiple of eight, so that V8 need not copy. V8 refuses the data of another V8 and crashes on damaged data:
 * it is there twice, and used where both are the same. That is compared in no time; a sum would cost more than the data saves.
 */
function runHook() {
  const { Script } = require("node:vm");
  const loaded = new Map();
  let stamp = null;
  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.module.exports;
    const path = join(__dirname, `${name}.cjs`);
    const source = readFileSync(path, "utf8");
    // The first line is made of what all the hook's files hold.
    const own = /^\/\/ ([0-9a-f]{64})\n/.exec(source)?.[1];
    if (own === undefined || (stamp ?? own) !== own)
      throw new Error("Skein's hook was replaced while it began: the next event will find it whole");
    stamp = own;
    const kept = join(place, `${name}-${process.version}-${process.arch}`);
    const found = keeps ? readKept(kept, own) : null;
    const text = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
    const script = new Script(text, { filename: path, ...(found === null ? {} : { cachedData: found.data }) });
    const kinds = found === null || script.cachedDataRejected ? [] : found.kinds;
    const module = { exports: {} };
    loaded.set(name, { module, script, kept, kinds });
    script.runInThisContext()(module.exports, requireOf, module, path, __dirname);
    return module.exports;
  };
  const requireOf = (id) => (PART.test(id) ? load(id.slice(2, -4)) : require(id));
  if (keeps) process.on("exit", () => keep(loaded, stamp));
  load(CORE);
}

function keep(loaded, stamp) {
  const { kind, often } = loaded.get(CORE)?.module.exports.happened ?? {};
  if (!kind) return;
  for (const [name, { script, kept, kinds }] of loaded) {
    if ((name === CORE && !often) || kinds.includes(kind) || kinds.length >= KINDS_MAX) continue;
    try {
      if (canKeep()) writeKept(kept, `${stamp} ${[...kinds, kind].join(",")}`, script.createCachedData());
    } catch {
      // It is compiled again the next time.
    }
  }
}

function readKept(path, stamp) {
  try {
    const bytes = readFileSync(path);
    const end = bytes.indexOf(10) + 1;
    const [own, kinds] = bytes.latin1Slice(0, end).trim().split(" ");
    const half = end + (bytes.length - end) / 2;
    const data = bytes.subarray(end, half);
    return own === stamp && data.equals(bytes.subarray(half)) ? { kinds: kinds.split(","), data } : null;
  } catch {
    return null;
  }
}

function writeKept(path, header, data) {
  const line = `${header}${" ".repeat(7 - (header.length % 8))}\n`;
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint()}`;
  try {
    writeFileSync(temporary, Buffer.concat([Buffer.from(line, "latin1"), data, data]), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    unlinkSync(temporary);
  }
}

/** A home that is not there is not ours to make. */
function canKeep() {
  return isDirectory(base) && isThere(place);
}

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
