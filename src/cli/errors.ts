// The one file that turns errors into what a person reads: what happened, what was kept, what to do next. Exit code 2: nothing was begun.

import type { DemoError } from "../app/demo.ts";
import type { IntoStoreError } from "../app/git.ts";
import type { RunError } from "../app/run.ts";
import { unreachable } from "../base/assert.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { OpenError } from "../log/log.ts";
import type { ExportError } from "../vcs/git/export.ts";

export interface Explanation {
  readonly what: string;
  readonly next: string;
  readonly exitCode: 1 | 2;
}

export function explain(error: DemoError | RunError): Explanation {
  switch (error.kind) {
    case "empty-goal":
      return usage("the goal is empty", 'say what is to be done: skein swarm "make the parser accept comments"');
    case "empty-task":
      return usage("the task is empty", 'say what is to be done: skein run "fix the failing test"');
    case "goal-too-long":
      return usage(
        `the goal has ${error.chars} characters, the limit is ${error.charsMax}`,
        "put the details into a file of the repository and name it in the goal",
      );
    case "bad-workers":
      return usage(
        `--workers ${error.workers}: a whole number from 1 to ${error.workersMax} is needed`,
        "for example --workers 4",
      );
    case "bad-requests":
      return usage(
        `--max-requests ${error.requestsMax}: a whole number from 1 is needed`,
        "for example --max-requests 5000",
      );
    case "bad-turns":
      return usage(`--max-turns ${error.turnsMax}: a whole number from 1 is needed`, "for example --max-turns 50");
    case "no-model":
      return noModel(error.roles);
    case "bad-model":
      return usage(
        `the model ${cleanLine(error.name, 300)} cannot be used: ${cleanText(error.message, 2_000)}`,
        "name another with --model, or mend the script; its format is in docs/script-model.md",
      );
    case "no-program":
      return usage(
        `${error.program} was not found`,
        `install ${error.program}; skein doctor shows what else is missing`,
      );
    case "not-a-repository":
      return usage(
        `${cleanLine(error.path, 500)} is not in a git repository`,
        "start skein in one, or name one with --repo; `git init` makes one, and it needs a first commit",
      );
    case "empty-repository":
      return usage(
        `${cleanLine(error.path, 500)} has no commit yet`,
        "commit what is to be worked on first: git add --all && git commit",
      );
    case "no-state-directory":
      return usage(`there is no place to keep runs: ${error.message}`, "set SKEIN_STATE_DIR to an absolute path");
    case "file":
      return {
        what: `${cleanLine(error.path, 500)}: ${cleanLine(error.message, 500)}`,
        next: "check that it exists, that you may use it and that the disk is not full",
        exitCode: error.code === "not-found" ? 2 : 1,
      };
    case "git":
      return {
        what: `git ${cleanLine(error.command, 300)} failed: ${cleanText(error.stderr, 1_000)}`,
        next: "skein doctor shows whether git works here",
        exitCode: 1,
      };
    case "store":
      return storeError(error.error);
    case "import":
      return importError(error.error);
    case "start":
      return {
        what: `the run could not be started: ${cleanText(error.message, 2_000)}`,
        next: `nothing was written to the repository; the store is ${error.store}`,
        exitCode: 1,
      };
    case "demo":
      return { what: cleanText(error.message, 2_000), next: "skein doctor shows what this machine lacks", exitCode: 1 };
    default:
      return unreachable(error);
  }
}

function usage(what: string, next: string): Explanation {
  return { what, next, exitCode: 2 };
}

function noModel(roles: readonly string[]): Explanation {
  const missing = roles.length === 0 ? "no model was named" : `no model was named for: ${roles.join(", ")}`;
  const flags =
    roles.length === 0
      ? "--model <name>"
      : "--model <name> for all roles, or --planner, --worker and --arbiter for each";
  return usage(
    missing,
    `name one with ${flags}, or set SKEIN_MODEL. This version has script:<file> (see docs/script-model.md); skein demo needs no model`,
  );
}

function storeError(error: OpenError): Explanation {
  const next = error.kind === "held" ? "another process works on it: wait for it, or end it" : "nothing was changed";
  return { what: `the store cannot be opened: ${cleanText(error.message, 1_000)}`, next, exitCode: 1 };
}

function importError(error: IntoStoreError): Explanation {
  const nothing = "nothing was changed in the repository";
  switch (error.kind) {
    case "refused-paths": {
      const named = error.paths.map((item) => `  ${cleanLine(item.path, 300)}: ${item.reason}`).join("\n");
      return {
        what: `HEAD holds ${error.count} paths that cannot be taken in:\n${named}`,
        next: `${nothing}; rename or remove them in a commit first`,
        exitCode: 1,
      };
    }
    case "old-modes": {
      const named = error.entries
        .map((item) => `  ${cleanLine(item.path, 300)}: ${cleanLine(item.mode, 20)}`)
        .join("\n");
      return {
        what: `HEAD holds ${error.count} entries with a mode that git reads and no longer writes, so its tree cannot be carried exactly:\n${named}`,
        next: `${nothing}; a commit with today's modes and the same files mends it: git ls-files -sz | git update-index -z --index-info && git commit --allow-empty -m "Write file modes as git does today"`,
        exitCode: 1,
      };
    }
    case "blob-too-large":
      return {
        what: `${cleanLine(error.path ?? error.id, 500)} has ${error.bytes} bytes, over this version's limit of ${error.bytesMax} a file`,
        next: nothing,
        exitCode: 1,
      };
    case "missing-blob":
    case "damaged-blob":
      return {
        what: `git cannot give the content of ${cleanLine(("path" in error ? error.path : null) ?? error.id, 500)}: the repository is a partial clone, or damaged`,
        next: `${nothing}; in a partial clone \`git fetch --refetch --no-filter\` brings what is missing, as does a full clone; git fsck tells more`,
        exitCode: 1,
      };
    case "git":
      return {
        what: `git ${cleanLine(error.command, 300)} failed: ${cleanText(error.stderr, 1_000)}`,
        next: nothing,
        exitCode: 1,
      };
    case "tree-mismatch":
      return {
        what: `the tree that was read (${error.actual}) is not the one git names (${error.expected})`,
        next: `${nothing}; this is a fault of skein: please report it with the repository's kind of content`,
        exitCode: 1,
      };
    case "bad-path":
      return { what: `${cleanLine(error.path, 500)} cannot be taken in: ${error.reason}`, next: nothing, exitCode: 1 };
    case "already-imported":
    case "bad-blob":
    case "moved":
    case "batch-too-large":
    case "no-space":
    case "stopped":
      return {
        what: `the repository could not be taken in (${error.kind})${"message" in error ? `: ${cleanText(error.message, 500)}` : ""}`,
        next: `${nothing}; is the disk of the state directory full?`,
        exitCode: 1,
      };
    default:
      return unreachable(error);
  }
}

/** Why what landed is not on the branch, and where it is. */
export function explainExport(error: ExportError, store: string): string {
  const kept = `everything that landed is kept in ${store}`;
  switch (error.kind) {
    case "nothing-to-export":
      return "nothing landed, so there is no branch";
    case "mismatch":
      return `the exported ${error.what} is ${error.actual}, not ${error.expected}; git's result is kept as ${error.keptAs}, and ${kept}`;
    case "git":
      return `git ${cleanLine(error.command, 300)} failed: ${cleanText(error.stderr, 1_000)}; ${kept}`;
    case "blob":
      return `a content could not be read: ${cleanLine(error.message, 500)}; ${kept}`;
    default:
      return `${error.kind}: ${cleanText(JSON.stringify(error), 1_000)}; ${kept}`;
  }
}
