// What a person reads when a run cannot be begun or gone on with: what happened, what was kept, what to do next.

import { expect, test } from "vitest";
import { runDirectories } from "../app/state-directory.ts";
import { asPosition, asRunId } from "../base/ids.ts";
import { cleanOutput } from "./clean-output.ts";
import { type CommandError, explain, explainExport } from "./errors.ts";

const run = {
  kind: "swarm",
  id: asRunId("20261129-230501-ab3d"),
  directories: runDirectories("/state/runs/tool/20261129-230501-ab3d"),
} as const;
const commit = "0123456789abcdef0123456789abcdef01234567";

const told = (error: CommandError) => {
  const { what, next, exitCode } = explain(error);
  // As a person gets it; JSON has it as it was.
  return cleanOutput(`${exitCode}: ${what}\n${next}`, { colors: false });
};

test("a run that cannot go on", () => {
  expect([
    told({ kind: "no-run", wanted: "x\u001b[2J", candidates: [] }),
    told({ kind: "no-run", wanted: "2026", candidates: [run.id, asRunId("20261129-230502-ab3e")] }),
    told({ kind: "run-held", run: run.id, pid: 12 }),
    told({ kind: "run-held", run: run.id, pid: null }),
    told({ kind: "never-began", run }),
    told({ kind: "repository-gone", run, path: "/src/tool", message: "no such file or directory" }),
    told({ kind: "repository-lacks-commit", run, path: "/src/tool", commit }),
  ]).toMatchInlineSnapshot(`
    [
      "2: there is no run x�[2J
    skein runs lists those there are",
      "2: several runs are called so: 20261129-230501-ab3d, 20261129-230502-ab3e
    write more of the id",
      "1: another coordinator owns the store of 20261129-230501-ab3d: process 12
    nothing was changed; skein swarm status 20261129-230501-ab3d shows how it goes, skein swarm stop 20261129-230501-ab3d ends it",
      "1: another coordinator owns the store of 20261129-230501-ab3d
    nothing was changed; skein swarm status 20261129-230501-ab3d shows how it goes, skein swarm stop 20261129-230501-ab3d ends it",
      "2: the run 20261129-230501-ab3d was interrupted before it began: its goal was not recorded, and nothing was asked or changed
    start it anew; skein runs prune --run 20261129-230501-ab3d removes what is left",
      "2: the repository of 20261129-230501-ab3d is not at /src/tool: no such file or directory
    everything that landed is kept in /state/runs/tool/20261129-230501-ab3d; skein swarm --resume 20261129-230501-ab3d --repo <where it is now> goes on",
      "2: /src/tool does not have the commit 0123456789abcdef0123456789abcdef01234567 on which 20261129-230501-ab3d builds: it is another repository, or its history was rewritten
    everything that landed is kept in /state/runs/tool/20261129-230501-ab3d; name the repository with --repo, or fetch the commit into it, and resume again",
    ]
  `);
});

test("a store that cannot be opened", () => {
  const store = run.directories.run;
  const file = `${store}/store/segments/0.segment`;
  expect([
    told({ kind: "store", store, error: { kind: "io", message: "ENOSPC: no space left on device" } }),
    told({ kind: "store", store, error: { kind: "newer", file, message: "written by version 2" } }),
    told({
      kind: "store",
      store,
      error: { kind: "damaged", file, offset: 100, position: asPosition(7), message: "a frame's checksum is wrong" },
    }),
  ]).toMatchInlineSnapshot(`
    [
      "1: the store /state/runs/tool/20261129-230501-ab3d cannot be opened: ENOSPC: no space left on device
    nothing was changed; is the disk full, or not yours to write?",
      "1: the store /state/runs/tool/20261129-230501-ab3d cannot be opened: written by version 2
    nothing was changed; use the version of skein that wrote it, or a newer one",
      "1: the store /state/runs/tool/20261129-230501-ab3d cannot be opened: a frame's checksum is wrong
    nothing was changed, and branches that were exported are in their repository; restore the directory from a backup, or start anew",
    ]
  `);
});

test("settings and models that cannot be used", () => {
  expect([
    told({ kind: "settings", message: "--budget: Too small: expected number to be >0" }),
    told({ kind: "config", path: "/src/tool/skein.config.json", problems: ["limits.budget: is not a setting", "x"] }),
    told({ kind: "no-price", name: "ollama/qwen", scripted: false, file: "/home/u/.config/skein/config.json" }),
    told({ kind: "no-price", name: "script:/s.yaml", scripted: true, file: null }),
    told({
      kind: "connection",
      code: "unconfirmed-base-url",
      message: "skein.config.json wants anthropic to be asked at https://evil.example",
      next: "if you trust it, pass --base-url",
    }),
  ]).toMatchInlineSnapshot(`
    [
      "2: --budget: Too small: expected number to be >0
    docs/configuration.md has the settings and their limits",
      "2: /src/tool/skein.config.json: limits.budget: is not a setting
      x
    mend the file: docs/configuration.md has its settings, schema/skein.config.schema.json is for editors",
      "2: the price of ollama/qwen is not known, so that a budget could not be kept
    set prices["ollama/qwen"] in /home/u/.config/skein/config.json to {"input": <dollars per million tokens>, "output": <…>}, or leave the budget out",
      "2: the price of script:/s.yaml is not known, so that a budget could not be kept
    leave the budget out: a script or a replay costs nothing; a script can name a price",
      "2: skein.config.json wants anthropic to be asked at https://evil.example
    if you trust it, pass --base-url",
    ]
  `);
});

test("a branch that cannot be made says where everything is", () => {
  expect([
    explainExport({ kind: "branch-exists", branch: "skein/x", commit }, "/state/x"),
    explainExport({ kind: "branch-checked-out", branch: "skein/x", worktree: "/src/tool" }, "/state/x"),
    explainExport({ kind: "git", command: "fast-import", exitCode: 1, stderr: "disk full" }, "/state/x"),
  ]).toMatchInlineSnapshot(`
    [
      "the branch skein/x has commits that are not the run's, and so have its next names; everything that landed is kept in /state/x",
      "the branch skein/x is checked out in /src/tool; everything that landed is kept in /state/x",
      "git fast-import failed: disk full; everything that landed is kept in /state/x",
    ]
  `);
});
