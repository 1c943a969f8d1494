// Makes the bundle: one file per entry in dist, shared and lazily imported code in dist/chunks.
// Invariant: a process that reads dist while it is replaced finds whole files: chunks are named by their content and
// arrive before the entries that name them, each file comes by one rename, and chunks of earlier builds stay a while.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from "esbuild";
import { claudeCodePlugin } from "../src/clients/claude-code/plugin.ts";
import { codexPlugin } from "../src/clients/codex/plugin.ts";
import { marketplaces, PLUGIN_HOOK_NAME, pluginFolder } from "../src/clients/plugin-folder.ts";
import { STAMP, sourcesStamp } from "./bootstrap/bundle-stamp.mjs";
import { bundleHook } from "./hook-parts.ts";
import { giveKeptForm } from "./kept-form.ts";
import { LIGHTER_PACKAGES } from "./lighter-packages.ts";
import { bundleParts } from "./run-parts.ts";

const ENTRIES = ["skein", "worker-host"];
/** One file without chunks: CommonJS starts some milliseconds sooner. It is for copies; `hook.cjs`, which clients start, runs the same in parts. */
const HOOK = "hook";
const HOOK_MAIN = "hook-main.cjs";
/** The same for the commands that are asked often. */
const ALONE = ["who", "statusline", "mcp", "memory"];
/** Of these the compiled form is taken when they end. */
const KEPT = ["who", "memory"];
/** The same for larger ones, which may load packages; some of those are files of their own again. */
const LARGE = ["run", "vcs", "swarm", "host-process"];
/** Beyond it a hook has begun to load what it does not need. */
const ALONE_BYTES_MAX = 200_000;
const ALONE_PACKAGES = ["picocolors"];
/** Started by name, so it needs an interpreter line; read by whatever Node there is. */
const START = { entry: "skein-start", file: "skein.cjs" };
const START_TARGET = "es2019";
/** The whole command is ES modules, in files of their own. */
const wholeCommand: Plugin = {
  name: "whole-command",
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/skein\.ts$/ }, () => ({ path: "./skein.js", external: true })),
};
const START_OPTIONS: BuildOptions = {
  target: START_TARGET,
  banner: { js: "#!/usr/bin/env node" },
  plugins: [wholeCommand],
};
/** Packages that find files of their own beside their code; the rest is bundled. */
const EXTERNAL = ["@vscode/ripgrep", "msgpackr-extract"];
/** Its main file finds its parts in a way that no bundler follows. */
const ALIAS = { "jsonc-parser": "jsonc-parser/lib/esm/main.js" };
/** A CommonJS file that knows where it lies, as an ES module does. */
const KNOWS_ITS_PLACE: BuildOptions = {
  sourcemap: "linked",
  sourcesContent: false,
  define: { "import.meta.url": "bundleUrl" },
  banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
};
/** What clients start, in one folder with what it runs. */
const HOOK_START = { entry: "hook-start", file: "hook.cjs" };
/** A Node that was replaced by an older one in its place: told before the input is read, so that the launcher gives it to another. */
const HOOK_START_OPTIONS: BuildOptions = {
  target: START_TARGET,
  banner: { js: 'if (Number(process.versions.node.split(".")[0]) < 24) process.exit(99);' },
};
/** Of a file that is loaded as it is: CommonJS starts some milliseconds sooner. */
const ALONE_OPTIONS: BuildOptions = {
  absWorkingDir: dirname(import.meta.dirname),
  bundle: true,
  format: "cjs",
  // Less to read at each start; names stay where errors are shown with their stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  platform: "node",
  target: "node24",
  external: EXTERNAL,
  alias: ALIAS,
  plugins: [...LIGHTER_PACKAGES],
  logLevel: "warning",
};
const STALE_AGE_MS_MIN = 60 * 60_000;
const STAGE_PREFIX = ".stage-";

const root = dirname(import.meta.dirname);
const dist = join(root, "dist");
const quiet = process.argv.includes("--quiet");
/** For publishing: also removes the chunks of recent builds, which a running process may still want. */
const clean = process.argv.includes("--clean");

try {
  await main();
} catch (error) {
  // esbuild has printed its own errors, with the lines they are about.
  const printed = error instanceof Error && "errors" in error;
  if (!printed) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  const startedAt = performance.now();
  const entries = ENTRIES.filter((name) => {
    const exists = existsSync(join(root, entryPath(name)));
    if (!exists && !quiet) console.log(`skipped ${entryPath(name)}: there is no such file`);
    return exists;
  });
  // Taken before the sources are read: one that changes meanwhile makes the next start build again.
  const stamp = sourcesStamp(root);
  mkdirSync(dist, { recursive: true });
  const stage = mkdtempSync(join(dist, STAGE_PREFIX));
  try {
    const result = await bundle(entries, stage);
    refuseLazyCommonJs(result);
    refuseLarge(await bundleAlone(HOOK, join(stage, HOOK_MAIN), { minifyIdentifiers: true }), []);
    refuseLarge({ metafile: await bundleHook(stage, root, ALONE_OPTIONS) }, []);
    for (const name of ALONE) refuseLarge(await bundleAlone(name, join(stage, `${name}.cjs`)), ALONE_PACKAGES);
    for (const name of KEPT) giveKeptForm([join(stage, `${name}.cjs`)]);
    refuseLarge(await bundleAlone(HOOK_START.entry, join(stage, HOOK_START.file), HOOK_START_OPTIONS), []);
    const parts = await bundleParts(stage, ALONE_OPTIONS);
    for (const name of LARGE)
      refuseLazyCommonJs(await bundleAlone(name, join(stage, `${name}.cjs`), { ...KNOWS_ITS_PLACE, ...parts }));
    refuseLarge(await bundleAlone(START.entry, join(stage, START.file), START_OPTIONS), []);
    chmodSync(join(stage, START.file), 0o755);
    makePlugins(stage);
    writeFileSync(join(stage, STAMP), stamp);
    publish(stage);
    if (!quiet) report(result, performance.now() - startedAt);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function bundle(entries: string[], stage: string) {
  return build({
    absWorkingDir: root,
    entryPoints: entries.map(entryPath),
    outdir: stage,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external: EXTERNAL,
    alias: ALIAS,
    plugins: [...LIGHTER_PACKAGES],
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    // CommonJS packages call `require` for Node's own modules, and an ES module has none.
    banner: {
      // An old Node has no such way to it, and is only told that it is old.
      js: 'const require = process.getBuiltinModule?.("node:module").createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
}

function bundleAlone(
  entry: string,
  outfile: string,
  more: BuildOptions = {},
): Promise<BuildResult<{ metafile: true }>> {
  return build({ ...ALONE_OPTIONS, entryPoints: [entryPath(entry)], outfile, ...more, metafile: true });
}

function refuseLarge(
  { metafile: { outputs } }: { readonly metafile: Pick<Metafile, "outputs"> },
  packages: readonly string[],
) {
  for (const [path, { bytes, inputs }] of Object.entries(outputs)) {
    const foreign = Object.keys(inputs).find((input) => {
      const [, name] = input.split("node_modules/");
      return name !== undefined && !packages.some((allowed) => name.startsWith(`${allowed}/`));
    });
    if (foreign !== undefined) throw new Error(`${path} may not load packages, and loads ${foreign}`);
    if (bytes > ALONE_BYTES_MAX) throw new Error(`${path} has ${bytes} bytes; at most ${ALONE_BYTES_MAX} are allowed`);
  }
}

/** In the bundle a lazily imported CommonJS module has only a default export, unlike in Node: found here, not by users. */
function refuseLazyCommonJs({ metafile: { inputs } }: BuildResult<{ metafile: true }>) {
  for (const [path, input] of Object.entries(inputs)) {
    for (const imported of input.imports) {
      if (imported.kind !== "dynamic-import" || inputs[imported.path]?.format !== "cjs") continue;
      const advice = "import it plainly in a module of ours, and that one lazily";
      throw new Error(`${path} lazily imports ${imported.path}, which is CommonJS: ${advice}`);
    }
  }
}

/** Clients' plugins, each with a copy of the hook, and the lists by which clients find them. */
function makePlugins(stage: string) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const plugins = join(stage, "plugins");
  const put = (path: string, text: string, executable = false) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: executable ? 0o755 : 0o644 });
  };
  for (const parts of [claudeCodePlugin, codexPlugin]) {
    const folder = join(plugins, parts.client);
    for (const [path, { text, executable }] of pluginFolder(parts, version)) put(join(folder, path), text, executable);
    cpSync(join(stage, HOOK_MAIN), join(folder, PLUGIN_HOOK_NAME));
  }
  for (const [path, text] of marketplaces()) put(join(plugins, path), text);
}

/** Moves the staged files into dist: chunks and data first, then entries, the stamp last. */
function publish(stage: string) {
  const staged = filesUnder(stage);
  const last = (path: string) => (path === STAMP ? 2 : path.includes("/") ? 0 : 1);
  for (const path of staged.toSorted((a, b) => last(a) - last(b))) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    renameSync(join(stage, path), join(dist, path));
  }
  removeStaleFiles(new Set(staged));
}

function removeStaleFiles(current: ReadonlySet<string>) {
  const isOld = (file: string) => {
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - changedAt > STALE_AGE_MS_MIN;
  };
  const [stages, others] = [readdirSync(dist).filter(isStage), filesUnder(dist).filter((path) => !isStage(path))];
  // A recent stage is another build at work; recent chunks may belong to a process that still runs.
  for (const name of stages) if (isOld(join(dist, name))) rmSync(join(dist, name), { recursive: true, force: true });
  for (const path of others) {
    if (!current.has(path) && (clean || isOld(join(dist, path)))) rmSync(join(dist, path), { force: true });
  }
}

function isStage(path: string) {
  return path.startsWith(STAGE_PREFIX);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

function report(result: BuildResult<{ metafile: true }>, tookMs: number) {
  const outputs = Object.entries(result.metafile.outputs).filter(([path]) => path.endsWith(".js"));
  const kilobytes = outputs.reduce((sum, [, output]) => sum + output.bytes, 0) / 1000;
  console.log(`dist: ${outputs.length} files, ${kilobytes.toFixed(0)} kB, in ${(tookMs / 1000).toFixed(1)} s`);
}

function entryPath(name: string) {
  return `src/entries/${name}.ts`;
}
