// Packages that a run may need, each in a file of its own beside `run.cjs`: what a process reads and keeps as source is memory that it touches
// at each start, whether it runs or not. Invariant: a part is loaded by `require` when the code that needs it is first evaluated, and is named
// by its content.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";

/** Nearly every run does without all of them but one provider's. What two of them share (zod, the SDK's tools) is in each. */
const PARTS = [
  "@ai-sdk/anthropic",
  "@ai-sdk/google",
  "@ai-sdk/openai",
  "@ai-sdk/openai-compatible",
  "@pydantic/genai-prices",
  "unbash",
  "yaml",
] as const;

const FOLDER = "chunks";

/** Makes the parts below `stage`; what the bundle's options need to find them. */
export async function bundleParts(stage: string, options: BuildOptions): Promise<BuildOptions> {
  await build({
    ...options,
    entryPoints: PARTS.map((name) => ({ in: name, out: fileStem(name) })),
    outdir: join(stage, FOLDER),
    entryNames: "[name]-[hash]",
    outExtension: { ".js": ".cjs" },
    // Names of packages' own functions are nobody's evidence of a fault of ours.
    minifyIdentifiers: true,
  });
  const made = readdirSync(join(stage, FOLDER));
  const files = new Map(PARTS.map((name) => [name as string, partOf(name, made)]));
  const elsewhere: Plugin = {
    name: "run-parts",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[^./]/ }, ({ path }) => {
        const file = files.get(path);
        return file === undefined ? undefined : { path: `./${FOLDER}/${file}`, external: true };
      });
    },
  };
  return {
    plugins: [...(options.plugins ?? []), elsewhere],
    // `require` in its place: an import goes through Node's loader of ES modules, and of Node's own it touches all that they export.
    supported: { "dynamic-import": false },
  };
}

function fileStem(name: string): string {
  return `run-${name.replace(/^@/, "").replaceAll("/", "-")}`;
}

function partOf(name: string, made: readonly string[]): string {
  const form = new RegExp(`^${fileStem(name)}-[A-Z0-9]{8}\\.cjs$`);
  const [file, another] = made.filter((one) => form.test(one));
  if (file === undefined || another !== undefined) throw new Error(`${name}: its part of the bundle cannot be told`);
  return file;
}
