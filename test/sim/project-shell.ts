// The demo project's shell commands on the simulated disk. Whether a test passes follows from what the files contain, and it prints
// what the script of the demo looks for in the real runner's output. The real runner's verdict is in test/demo-assets.full.test.ts.

import type { Files } from "../../src/host/files.ts";
import type { SimProgram } from "../../src/testing/sim/processes.ts";
import type { SeededRandom } from "../../src/testing/sim/random.ts";

const bytesMax = 1_000_000;
const startMs = 60;
const runMsMax = 400;

/** Reads a file of the project; empty if it is not there. */
type Read = (path: string) => Promise<string>;

export function projectShell(random: SeededRandom): SimProgram {
  return async ({ argv, cwd, files, clock, stdout }) => {
    await clock.sleep(startMs + random.unit() * runMsMax);
    // However it is wrapped, the command is the last argument.
    const command = argv.at(-1) ?? "";
    const read: Read = (path) => readText(files, `${cwd}/${path}`);
    const { output, exit } = await runCommand(read, command);
    await stdout(Buffer.from(output));
    return exit;
  };
}

async function runCommand(read: Read, command: string): Promise<{ readonly output: string; readonly exit: number }> {
  if (command === "node --test") return runTests(read, Object.keys(suites));
  if (command === 'node --test --test-name-pattern="product|left|group" test/parse.test.js')
    return runTests(read, ["parse, its operators"]);
  const named = /^node --test((?: test\/\w+\.test\.js)+)$/.exec(command)?.[1];
  if (named !== undefined) return runTests(read, named.trim().split(" "));
  const calls = "node bin/calc.js '2 ^ 10 % 7' && echo 'round(-2.5) + max(1, 2)' | node bin/calc.js";
  if (command !== calls) return { output: `bash: not in the table: ${command}\n`, exit: 127 };
  const failed = (await failures(read, Object.keys(suites))).join("");
  // 2 ^ 10 is 1024, which is 146 * 7 + 2; halves go away from zero, so -3 + 2.
  return failed === "" ? { output: "2\n-1\n", exit: 0 } : { output: failed, exit: 1 };
}

async function runTests(read: Read, names: readonly string[]) {
  const failed = await failures(read, names);
  const output = `${failed.join("")}ℹ pass ${names.length - failed.length}\nℹ fail ${failed.length}\n`;
  return { output, exit: failed.length === 0 ? 0 : 1 };
}

async function failures(read: Read, names: readonly string[]): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const name of names) {
    const problem = await (suites[name] ?? parts[name] ?? (async () => "no such file"))(read);
    if (problem !== null) failed.push(`✖ ${name}\n  ${problem}\n`);
  }
  return failed;
}

/** Null for a suite that passes, else what its failure prints. */
type Suite = (read: Read) => Promise<string | null>;

const parts: Readonly<Record<string, Suite>> = {
  "parse, its operators": async (read) => (await unbuilt(read, "parse")) ?? unbuilt(read, "tokenize"),
};

const suites: Readonly<Record<string, Suite>> = {
  "test/tokenize.test.js": async (read) => {
    const source = await read("src/tokenize.js");
    const needed = (await read("test/tokenize.test.js")).includes("number too large") ? "number too large" : "";
    return unbuiltIn(source) ?? (source.includes(needed) ? null : "Missing expected exception");
  },
  "test/power.test.js": (read) => operator(read, '"^": right(3, power)', "power"),
  "test/modulo.test.js": async (read) => {
    const missing = await operator(read, '"%": left(2, modulo)', "modulo");
    if (missing !== null) return missing;
    // JavaScript's own remainder: -7 % 4.
    return (await read("src/arithmetic.js")).includes("return a % b;") ? "AssertionError: -3 !== 1" : null;
  },
  "test/evaluate.test.js": (read) => unbuilt(read, "evaluate"),
  "test/format.test.js": (read) => unbuilt(read, "format"),
  "test/parse.test.js": async (read) => {
    const early = (await unbuilt(read, "parse")) ?? (await unbuilt(read, "tokenize"));
    return early ?? ((await read("src/parse.js")).includes("LEVELS_MAX") ? null : "SyntaxError: calls are not parsed");
  },
  "test/readme.test.js": async (read) =>
    (await read("README.md")).includes("## Usage\n") ? null : "AssertionError: no usage section",
  "test/rounding.test.js": async (read) => unbuiltIn((await read("src/functions.js")).split("/** The table")[0] ?? ""),
  "test/aggregates.test.js": async (read) =>
    unbuiltIn((await read("src/functions.js")).split("/** The table")[1] ?? "not built yet"),
  "test/cli.test.js": async (read) => {
    const others = Object.keys(suites).filter((name) => name !== "test/cli.test.js");
    return (await unbuilt(read, "cli")) ?? ((await failures(read, others)).length === 0 ? null : "the command fails");
  },
};

async function operator(read: Read, entry: string, name: string): Promise<string | null> {
  if (!(await read("src/operators.js")).includes(entry)) return "TypeError: Cannot destructure property 'precedence'";
  const body =
    (await read("src/arithmetic.js")).split(`export function ${name}(`)[1]?.split("\n}")[0] ?? "not built yet";
  return unbuiltIn(body);
}

async function unbuilt(read: Read, module: string): Promise<string | null> {
  return unbuiltIn(await read(`src/${module}.js`));
}

function unbuiltIn(source: string): string | null {
  return source === "" || source.includes("not built yet") ? "Error: not built yet" : null;
}

async function readText(files: Files, path: string): Promise<string> {
  const bytes = await files.read(path, bytesMax);
  return bytes.ok ? Buffer.from(bytes.value).toString("utf8") : "";
}
