// What is said when the output cannot be written, and who gets errors as JSON.

import { expect, test } from "vitest";
import { keptThough, onlyTells, wantsJson } from "./lost-output.ts";

test("a lone run's advice is not a swarm's, and a command that makes no run promises none", () => {
  const said = [["run", "x"], ["--json", "run"], ["swarm", "x"], ["demo"], ["vcs", "stats"], []].map(keptThough);
  expect(said).toEqual([
    "what was done is kept, with the transcript: skein run --list shows the run, --resume goes on",
    "what was done is kept, with the transcript: skein run --list shows the run, --resume goes on",
    "what landed is kept and exported: skein runs shows it",
    "what landed is kept and exported: skein runs shows it",
    "what was acknowledged is kept",
    "what was acknowledged is kept",
  ]);
});

test("errors are JSON for --json and for both formats of --output", () => {
  const asked = [["--json"], ["--output", "json"], ["--output=stream-json"], ["--output", "text"], ["json"], []];
  expect(asked.map(wantsJson)).toEqual([true, true, true, false, false, false]);
});

test("a reader that has gone matters to commands that do something, not to those that only tell", () => {
  const lines = [
    "--help",
    "vcs --help",
    "swarm goal -h",
    "help run",
    "--version",
    "runs",
    "runs --json",
    "run --list",
    "swarm status ab3d",
    "vcs workspace --json list",
    "board --once",
    "watch",
    "--json who",
    "trace 2026",
    "vcs log --json",
    "memory search x",
    "eval report r",
  ];
  const doing = [
    "run x",
    "swarm x",
    "demo",
    "vcs commit",
    "vcs undo",
    "memory note x",
    "eval run s",
    "runs prune",
    "runs --yes prune",
    "run -- --help",
    "vcs resolve x",
    "vcs workspace rm x",
    "install",
    "",
  ];
  const words = (line: string) => line.split(" ");
  expect([lines.filter((line) => !onlyTells(words(line))), doing.filter((line) => onlyTells(words(line)))]).toEqual([
    [],
    [],
  ]);
});
