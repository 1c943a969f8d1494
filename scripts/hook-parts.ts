// The hook in several files beside `hook.cjs`: what most events never call is in parts of its own, since all that a program holds is read,
// and its compiled form made ready, at each start. Invariant: a part is loaded when one of its functions is first called, and only functions
// are reached this way; the same sources make `hook-main.cjs`, the whole in one file, for copies.
import { createRequire } from "node:module";
import { join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { giveKeptForm } from "./kept-form.ts";

const ENTRY = "src/entries/hook.ts";
/** What every event needs. */
const CORE = "hook-core.cjs";
/** As in `hook-start.ts`, which loads them. */
const fileOf = (part: string): string => `hook-part-${part}.cjs`;

/** Part → module → the functions through which it is reached. */
const PARTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Agents that are fewer.
  clients: Object.fromEntries(
    ["copilot", "cursor", "gemini", "opencode", "pi", "qwen"].map((name) => [
      `src/clients/${name}/event.ts`,
      ["toEvent"],
    ]),
  ),
  // What a person has written is told to others.
  redaction: { "src/sessions/redact.ts": ["redact"] },
  // Not this machine, mostly.
  systems: { "src/adapters/node/process-table.ts": ["nodeProcessTable"] },
  // After git had to be asked.
  learning: {
    "src/sessions/presence/learn-worktree.ts": ["learnWorktree"],
    "src/clients/launcher-mark.ts": ["markLook"],
  },
  // Others are read: at starts, and where somebody else has touched the same file or HEAD has moved.
  others: {
    "src/sessions/presence/clean-up.ts": ["cleanUp"],
    "src/sessions/presence/look-around.ts": ["lookAround"],
    "src/sessions/presence/rows.ts": ["isKnown", "isSameAgent"],
    "src/sessions/presence/start-block.ts": ["startBlock"],
    "src/sessions/memory/at-start.ts": ["memoryAtStart"],
    "src/sessions/memory/places.ts": ["memoryIn"],
  },
};

/** Makes the core and the parts in `stage`; what esbuild tells of them. */
export async function bundleHook(
  stage: string,
  root: string,
  options: BuildOptions,
): Promise<Pick<Metafile, "outputs">> {
  const outputs: Metafile["outputs"] = {};
  const bundle = async (file: string, plugin: Plugin, more: BuildOptions): Promise<void> => {
    const { metafile } = await build({
      ...options,
      ...more,
      minifyIdentifiers: true,
      plugins: [...(options.plugins ?? []), plugin],
      outfile: join(stage, file),
      metafile: true,
    });
    Object.assign(outputs, metafile.outputs);
  };
  for (const [part, modules] of Object.entries(PARTS)) {
    const exported = Object.keys(modules).map(
      (path) => `export * as ${idOf(path)} from ${JSON.stringify(`./${path}`)};`,
    );
    const contents = exported.join("\n");
    await bundle(fileOf(part), elsewhere(root, part), { stdin: { contents, resolveDir: root, loader: "js" } });
    refuseAllButFunctions(join(stage, fileOf(part)), modules);
  }
  await bundle(CORE, elsewhere(root, null), { entryPoints: [ENTRY] });
  giveKeptForm([CORE, ...Object.keys(PARTS).map(fileOf)].map((file) => join(stage, file)));
  return { outputs };
}

/** In the place of the modules of all parts but the one that is made: functions that load theirs when they are called. */
function elsewhere(root: string, made: string | null): Plugin {
  const stubs = new Map<string, string>();
  for (const [part, modules] of Object.entries(PARTS)) {
    for (const [module, functions] of part === made ? [] : Object.entries(modules)) {
      const from = `require(${JSON.stringify(`./${fileOf(part)}`)}).${idOf(module)}`;
      const lines = functions.map((name) => `export function ${name}(...given) { return ${from}.${name}(...given); }`);
      stubs.set(join(root, module), lines.join("\n"));
    }
  }
  return {
    name: "hook-parts",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^\.\/hook-part-[a-z]+\.cjs$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = stubs.get(path);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}

function idOf(module: string): string {
  return module.replaceAll(/[^a-z]+/g, "_");
}

/** A value or a class could not be put off to its first call. */
function refuseAllButFunctions(file: string, modules: Readonly<Record<string, readonly string[]>>): void {
  const made: Readonly<Record<string, Readonly<Record<string, unknown>>>> = createRequire(import.meta.url)(file);
  for (const [module, functions] of Object.entries(modules)) {
    for (const name of functions) {
      const value = made[idOf(module)]?.[name];
      if (typeof value !== "function" || String(value).startsWith("class"))
        throw new Error(`${module}: ${name} is no function, so that it cannot be reached in a part of the hook`);
    }
  }
}
