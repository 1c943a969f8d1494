// What a line runs, compared with bash itself: programs that write down how they were called stand in for all others.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCommandLine } from "./command-line.ts";

const programs = ["git", "rm", "npm", "a", "b", "c", "d", "e"];

let directory: string;
let log: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "skein-lines-"));
  log = join(directory, "log");
  const bin = join(directory, "bin");
  mkdirSync(bin);
  const recorder = join(directory, "recorder");
  // One record a call: its words and \u0001, each ended by a NUL, in one write, since those of a pipeline come side by side.
  writeFileSync(recorder, `#!/bin/bash\nprintf '%s\\0' "\${0##*/}" "$@" $'\\1' >> ${log}\n`);
  chmodSync(recorder, 0o755);
  for (const program of programs) symlinkSync(recorder, join(bin, program));
});

afterAll(() => rmSync(directory, { recursive: true }));

/** The calls that bash made, sorted: parts of a pipeline begin in any order. */
function ran(line: string): readonly string[] {
  writeFileSync(log, "");
  try {
    execFileSync("/bin/bash", ["--norc", "-c", line], {
      cwd: directory,
      env: { PATH: join(directory, "bin") },
      stdio: "ignore",
    });
  } catch {
    // Its exit code is nobody's business here.
  }
  const records = readFileSync(log, "utf8").split("\u0001\0").slice(0, -1);
  return records.map((record) => JSON.stringify(record.split("\0").slice(0, -1))).sort();
}

/** The calls of the stand-ins, as they were read from the line; null where a word is not known. */
function read(line: string): readonly string[] | null {
  const { commands, unknown } = readCommandLine(line);
  if (unknown !== null) return null;
  const calls: string[] = [];
  for (const { words } of commands) {
    const values = words.map((word) => (word.kind === "literal" ? word.value : null));
    if (values.some((value) => value === null)) return null;
    if (programs.includes(values[0] ?? "")) calls.push(JSON.stringify(values));
  }
  return calls.sort();
}

// Each program is started exactly once, whatever the others answer: the stand-ins always succeed.
const lines = [
  "git status",
  "a && b; c",
  "a\nb\n\nc",
  "a & b & wait",
  "a | b |& c",
  "! a; { b; }; (c; d)",
  "if a; then b; fi; while ! c; do :; done",
  "for x in 1; do a; done; case x in x) b;; esac",
  "g\\it sta\\\ntus",
  "'g'it \"st\"at'us'",
  '"git" \'a b\' "c d" e\\ f',
  'git "a\\$b\\"c\\\\d" \'e\\f\' "g\\h"',
  "$'gi\\x74' $'a\\tb' $'it\\'s'",
  "\\git \\-\\- \\*",
  "git '*' \"?\" '[a]' '{a,b}' '~' '!x' '$(a)' '`b`' '#c'",
  "git a#b #c",
  "git '' \"\" a",
  "A=1 B='2 3' git",
  "x=1; a",
  "git >/dev/null 2>&1 a",
  "2>/dev/null git a",
  "git a;b;c",
  "a&&b;c",
  "(a)&&(b)",
  "{ a; } 2>/dev/null",
  "git a\\;b 'c;d' \"e&f\"",
  "time a",
  "git -- -rf",
  "git a=b --c=d -e=f",
  "a; git \\\n  log \\\n  -1",
  "   git   status   ",
  "git status # ; rm x",
  "git 'a\nb'",
  "if a; then if b; then c; fi; fi",
  "a <<'E'\n$(b)\nE\nc",
];

test.each(lines)("is read as bash runs it: %j", (line) => {
  const truth = ran(line);
  expect(truth).not.toEqual([]);
  expect(read(line)).toEqual(truth);
});

// Words that only the shell can know: bash runs something, and nothing is claimed of it.
test.each([
  "git *",
  "git {a,b}",
  "git ~",
  "git $HOME",
  'git "$HOME"',
  "git [ab]",
  "git a{1..3}",
  "git $'\\u0067'",
  "$(echo git) a",
  "git ${x:-a}",
  "git $((1+1))",
  "git \r",
])("is not known beforehand: %j", (line) => {
  expect(ran(line)).not.toEqual([]);
  expect(read(line)).toBeNull();
});

test("what substitutions, functions and traps run is found as well", () => {
  const found = (line: string) => readCommandLine(line).commands.map(({ text }) => text);
  expect([
    found('a "$(b; `c`)" <(d)'),
    found("f() { rm x; }; f"),
    found("cat <<E\n$(rm x)\nE"),
    found("echo ${x:-$(rm x)} $((1 + $(a)))"),
    found("[[ -v y[$(rm x)] ]]; z[$(a)]=1"),
    found("case $(a) in $(b)) c;; esac; for i in $(d); do e; done"),
  ]).toEqual([
    ['a "$(b; `c`)" <(d)', "b", "`c`", "c", "d"],
    ["rm x", "f"],
    ["cat <<E\n", "rm x"].map((text) => text.replace("\n", "")),
    ["echo ${x:-$(rm x)} $((1 + $(a)))", "rm x", "a"],
    ["rm x", "z[$(a)]=1", "a"],
    ["a", "b", "c", "d", "e"],
  ]);
});

test("a line that bash refuses, or that is too long, is unknown", () => {
  const unknown = (line: string) => readCommandLine(line).unknown;
  expect(["if", "a &&", "echo $(", "a 'b", "a \0 b"].map((line) => unknown(line) !== null)).toEqual(
    Array(5).fill(true),
  );
  expect(unknown(`a ${"b".repeat(50_000)}`)).toBe("it has more than 50000 characters");
});
