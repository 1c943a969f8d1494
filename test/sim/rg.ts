// A small ripgrep on the simulated disk: lists files and matches lines, in the output format of the real one. What it does not know
// it refuses, as the real one refuses an unknown flag.

import type { Files } from "../../src/host/files.ts";
import type { SimCall, SimProgram } from "../../src/testing/sim/processes.ts";

const entriesMax = 10_000;
const bytesMax = 1_000_000;
/** Flags that change nothing here: nothing is ignored, nothing is coloured, and paths come sorted. */
const passed = new Set(["--no-config", "--hidden", "--glob=!.git", "--no-require-git", "--sort=path", "--color=never"]);

export const rg: SimProgram = async (call) => {
  const split = call.argv.indexOf("--");
  const [flags, target] = [call.argv.slice(1, split).filter((flag) => !passed.has(flag)), call.argv[split + 1] ?? "./"];
  const pattern = flags.find((flag) => flag.startsWith("--regexp="))?.slice("--regexp=".length);
  const mode = flags.filter((flag) => !flag.startsWith("--regexp=")).join(" ");
  const names = await filesBelow(call.files, call.cwd, target.replace(/\/$/, ""));
  if (mode === "--files --null") return say(call, names.map((name) => `${name}\0`).join(""), names.length);
  if (pattern === undefined || !["--json --context=0", "--files-with-matches --null"].includes(mode)) {
    await call.stderr(Buffer.from(`rg: unrecognized flags ${flags.join(" ")}`));
    return 2;
  }
  const found: string[] = [];
  for (const name of names) {
    const lines = matchingLines(await readText(call.files, `${call.cwd}/${name}`), new RegExp(pattern));
    if (lines.length > 0) found.push(mode.startsWith("--json") ? asJson(name, lines) : `${name}\0`);
  }
  return say(call, found.join(""), found.length);
};

async function say(call: SimCall, output: string, count: number): Promise<number> {
  await call.stdout(Buffer.from(output));
  return count > 0 ? 0 : 1;
}

/** Sorted by path, without links and `.git`. A file names itself. */
async function filesBelow(files: Files, root: string, name: string): Promise<readonly string[]> {
  const entries = await files.list(`${root}/${name}`, entriesMax);
  if (!entries.ok) return entries.error.code === "not-directory" ? [name] : [];
  const below: string[] = [];
  for (const entry of entries.value) {
    const path = `${name}/${entry.name}`;
    if (entry.kind === "directory" && entry.name !== ".git") below.push(...(await filesBelow(files, root, path)));
    if (entry.kind === "file") below.push(path);
  }
  return below;
}

interface Match {
  readonly number: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function matchingLines(text: string, pattern: RegExp): readonly Match[] {
  return text.split("\n").flatMap((line, index) => {
    const match = pattern.exec(line);
    return match === null
      ? []
      : [{ number: index + 1, text: `${line}\n`, start: match.index, end: match.index + match[0].length }];
  });
}

/** As `grep_printer::JSON` of ripgrep documents it. */
function asJson(name: string, matches: readonly Match[]): string {
  const path = { text: name };
  const records = [
    { type: "begin", data: { path } },
    ...matches.map(({ number, text, start, end }) => ({
      type: "match",
      data: {
        path,
        lines: { text },
        line_number: number,
        submatches: [{ match: { text: text.slice(start, end) }, start, end }],
      },
    })),
    { type: "end", data: { path, binary_offset: null } },
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

async function readText(files: Files, path: string): Promise<string> {
  const bytes = await files.read(path, bytesMax);
  if (!bytes.ok) throw new Error(bytes.error.message);
  return Buffer.from(bytes.value).toString("utf8");
}
