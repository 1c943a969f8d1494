// What the bundle makes of packages that are slow to load: the same values, made with less work at each start. Invariant: where a package has
// not the form that is expected any more, the build ends; nothing is left as slow as it was without a word.
import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import type { Plugin } from "esbuild";
import { parseSync } from "oxc-parser";

/** `import { z }` brings the whole of zod, its texts in fifty languages included; of a namespace only what is used comes in. */
const wholeNamespaces: Plugin = {
  name: "whole-namespaces",
  setup: ({ onLoad }) => {
    const form = /import \{ z \} from (["']zod(?:\/v4)?["'])/g;
    onLoad({ filter: /\.(?:ts|mjs|js)$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace(form, "import * as z from $1");
      return contents === text ? undefined : { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
};

/** A table of some hundred kilobytes is read as JSON in a tenth of the time that it takes as code. */
const tableAsJson: Plugin = {
  name: "table-as-json",
  setup: ({ onLoad }) => {
    onLoad({ filter: /@pydantic[\\/]genai-prices[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const { start, end } = largestArray(path, text);
      const value: unknown = structuredClone(runInNewContext(`(${text.slice(start, end)})`));
      const json = JSON.stringify(value);
      deepStrictEqual(JSON.parse(json), value, `${path}: its table cannot be written as JSON`);
      const contents = `${text.slice(0, start)}JSON.parse(${JSON.stringify(json)})${text.slice(end)}`;
      return { contents, loader: "js" };
    });
  },
};

const tableCharsMin = 100_000;

function largestArray(path: string, text: string): { readonly start: number; readonly end: number } {
  const found = parseSync(path, text)
    .program.body.flatMap((statement) => (statement.type === "VariableDeclaration" ? statement.declarations : []))
    .flatMap(({ init }) => (init?.type === "ArrayExpression" ? [init] : []))
    .find(({ start, end }) => end - start >= tableCharsMin);
  if (found === undefined) throw new Error(`${path}: the table of prices is not where it was`);
  return found;
}

/** The SDK puts its requests' headers into a `Headers`, and Node's brings all of `fetch` with it. */
const plainHeaders: Plugin = {
  name: "plain-headers",
  setup: ({ onLoad }) => {
    onLoad({ filter: /@ai-sdk[\\/]provider-utils[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("new Headers(")) throw new Error(`${path}: it makes no Headers any more`);
      return {
        contents: `import { PlainHeaders as Headers } from ${JSON.stringify(headersFile)};\n${text}`,
        loader: "js",
      };
    });
  },
};

const headersFile = join(dirname(import.meta.dirname), "src", "adapters", "ai-sdk", "headers.ts");

/** To know whether standard output is a terminal it opens a stream on it, which most commands into a pipe do not need otherwise. */
const colorsWithoutStream: Plugin = {
  name: "colors-without-stream",
  setup: ({ onLoad }) => {
    onLoad({ filter: /picocolors[\\/]picocolors\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const form = "(p.stdout || {}).isTTY";
      if (!text.includes(form)) throw new Error(`${path}: it asks for the terminal in another way`);
      const asked = `(!require(${JSON.stringify(directOutputFile)}).isNoTerminal(1) && ${form})`;
      return { contents: text.replace(form, asked), loader: "js" };
    });
  },
};

const directOutputFile = join(dirname(import.meta.dirname), "src", "adapters", "node", "direct-output.ts");

export const LIGHTER_PACKAGES: readonly Plugin[] = [tableAsJson, wholeNamespaces, plainHeaders, colorsWithoutStream];
