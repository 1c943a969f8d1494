// What a person reads of an error of suites and results; `errors.ts` is where all errors are explained, and hands these on.

import { unreachable } from "../base/assert.ts";
import { capLine, capText } from "../base/text.ts";
import type { EvalsError } from "../evals/error.ts";
import type { FileError } from "../host/files.ts";
import type { Explanation } from "./errors.ts";

export type OwnEvalsError = Exclude<EvalsError, FileError>;

export function explainEvals(error: OwnEvalsError): Explanation {
  switch (error.kind) {
    case "eval-suite":
      return usage(
        `${capLine(error.path, 500)} is not a suite that can be run:\n  ${capText(error.message, 5_000).replaceAll("\n", "\n  ")}`,
        "docs/evals.md has every field; nothing was run",
      );
    case "eval-no-suite":
      return usage(
        `there is no suite ${capLine(error.name, 200)}: no suite.yaml in ${error.looked.map((path) => capLine(path, 300)).join(", ")}`,
        "skein eval list shows the suites there are",
      );
    case "eval-usage":
      return usage(capText(error.message, 2_000), "skein eval run --help has the flags; nothing was run");
    case "eval-results":
      return {
        what: `${capLine(error.path, 500)}: ${capText(error.message, 2_000)}`,
        next: "nothing there was changed; to report, compare or judge, name a directory of skein eval run; to measure, another one with --out",
        exitCode: 2,
      };
    case "eval-held":
      return {
        what: `another process is measuring into or judging ${capLine(error.path, 500)}`,
        next: "nothing was changed; wait for it, or end it with Ctrl-C in its own terminal",
        exitCode: 1,
      };
    case "eval-not-begun":
      return {
        what: `a run could not be begun: ${capText(error.message, 2_000)}`,
        next: "runs that are done are kept; put it right and start the same command again, which goes on with the rest",
        exitCode: 2,
      };
    case "eval-changed":
      return {
        what: `${capLine(error.path, 500)}: ${capText(error.message, 2_000)}`,
        next: "if it was you, the same command goes on; if it was the run, look at what it called, and let commands run in the sandbox",
        exitCode: 1,
      };
    case "eval-unsound":
      return {
        what: `the suite ${error.suite} cannot be measured with: its checks do not tell right from wrong\n  ${error.problems.map((line) => capLine(line, 1_000)).join("\n  ")}`,
        next: "put checks or solutions right: skein eval check shows whether they are; nothing was measured",
        exitCode: 2,
      };
    default:
      return unreachable(error);
  }
}

function usage(what: string, next: string): Explanation {
  return { what, next, exitCode: 2 };
}
