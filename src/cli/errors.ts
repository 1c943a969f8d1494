// The one file that turns errors into what a person reads: what happened, what was kept, what to do next. Exit code 2: nothing was begun.
// Texts are capped here and as they are: `Io` cleans what goes to a terminal, JSON says what they were.

import type { ConfigError } from "../app/config-text.ts";
import type { DemoError } from "../app/demo.ts";
import type { NoRun } from "../app/find-runs.ts";
import type { IntoStoreError } from "../app/git.ts";
import type { IntentError } from "../app/intent.ts";
import type { NotingError } from "../app/memory.ts";
import type { PruneError } from "../app/prune.ts";
import type { RoleModelError } from "../app/role-models.ts";
import type { StopError } from "../app/run-list.ts";
import type { ResumeRunError } from "../app/run-types.ts";
import type { ResumeError } from "../app/swarm-types.ts";
import type { NothingTraced } from "../app/trace-run.ts";
import { unreachable } from "../base/assert.ts";
import { capLine, capText } from "../base/text.ts";
import type { FileError } from "../host/files.ts";
import type { OpenError } from "../log/log.ts";
import { noteProblem } from "../sessions/mcp/problems.ts";
import type { ExportError } from "../vcs/git/export.ts";
import { explainEvals, type OwnEvalsError } from "./eval-errors.ts";

export interface Explanation {
  readonly what: string;
  readonly next: string;
  readonly exitCode: 1 | 2;
}

export type CommandError =
  | DemoError
  | ResumeRunError
  | NothingTraced
  | ResumeError
  | StopError
  | PruneError
  | IntentError
  | NotingError
  | { readonly kind: "empty-query" }
  | OwnEvalsError;

export function explain(error: CommandError): Explanation {
  switch (error.kind) {
    case "eval-suite":
    case "eval-no-suite":
    case "eval-usage":
    case "eval-results":
    case "eval-held":
    case "eval-not-begun":
    case "eval-changed":
    case "eval-unsound":
      return explainEvals(error);
    case "empty-goal":
      return usage("the goal is empty", 'say what is to be done: skein swarm "make the parser accept comments"');
    case "empty-task":
      return usage("the task is empty", 'say what is to be done: skein run "fix the failing test"');
    case "task-too-long":
      return usage(
        `the task has ${error.chars} characters, the limit is ${error.charsMax}`,
        "put the details into a file of the directory and name it in the task",
      );
    case "not-a-lone-run":
      return usage(`${error.run.id} is a swarm's run`, `skein swarm --resume ${error.run.id} goes on with it`);
    case "lone-run-held":
      return {
        what: `another process is at work on ${error.run}`,
        next: "nothing was changed; wait for it, or end it with Ctrl-C in its own terminal",
        exitCode: 2,
      };
    case "lone-never-began":
      return usage(
        `what ${error.run.id} was started with is not recorded: it was interrupted before it began, or was made by an older version`,
        `start it anew; what there is of it is in ${capLine(error.run.directories.run, 500)}`,
      );
    case "directory-gone":
      return usage(
        `the directory of ${error.run.id} is not at ${capLine(error.path, 500)}: ${capLine(error.message, 300)}`,
        `its transcript is kept in ${capLine(error.run.directories.agents, 500)}; put the directory back, or start anew`,
      );
    case "needs-task":
      return usage(
        `the run ${error.run} has done its task`,
        `say what is to be done next: skein run --resume ${error.run} "…"`,
      );
    case "transcript":
      return {
        what: `the transcript of ${error.run.id} cannot be gone on from: ${capLine(error.path, 500)}: ${capLine(error.message, 500)}`,
        next: "nothing was changed; what the run did in its directory is kept",
        exitCode: 2,
      };
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
    case "no-sandbox":
      return usage(
        `agents' shell commands would run without a sandbox, with your rights: ${error.reason}`,
        `nothing was begun; ${error.remedy === null ? "" : `${error.remedy}, or `}--sandbox off says that they may`,
      );
    case "nothing-traced":
      return usage(
        `no agent of ${error.run} has recorded anything`,
        `it was interrupted before it began; what there is of it is in ${capLine(error.directory, 500)}`,
      );
    case "hook-refused":
      return usage(
        `your ${error.event} hook said no: ${capText(error.reason, 2_000)}`,
        "nothing was asked of a model; change the task, or the hook, and try again",
      );
    case "no-model":
      return noModel(error.roles);
    case "bad-model":
      return usage(
        `the model ${capLine(error.name, 300)} cannot be used: ${capText(error.message, 2_000)}`,
        badModelAdvice(error.name),
      );
    case "no-price":
      return noPrice(error);
    case "connection":
      return usage(capText(error.message, 2_000), capText(error.next, 2_000));
    case "settings":
      return usage(capText(error.message, 2_000), "docs/configuration.md has the settings and their limits");
    case "config":
      return configError(error);
    case "no-program":
      return usage(
        `${error.program} was not found`,
        `install ${error.program}; skein doctor shows what else is missing`,
      );
    case "not-a-repository":
      return usage(
        `${capLine(error.path, 500)} is not in a git repository`,
        "start skein in one, or name one with --repo; `git init` makes one, and it needs a first commit",
      );
    case "empty-repository":
      return usage(
        `${capLine(error.path, 500)} has no commit yet`,
        "commit what is to be worked on first: git add --all && git commit",
      );
    case "no-session":
      return noSession(error);
    case "not-registered":
      return usage(
        `the record of session ${capLine(error.session, 300)} is gone`,
        "it is made again at the session's next event; then say it again",
      );
    case "empty-note":
    case "long-note":
    case "no-question":
      return usage(noteProblem(error), "nothing that was noted before is touched; skein memory show has it");
    case "no-subagent":
      return usage(error.message, "skein who --json lists the session's subagents");
    case "empty-query":
      return usage("there is nothing to look for", 'say at least one word: skein memory search "parser"');
    case "empty-intent":
      return usage(
        "the intent is empty",
        'say it in one line: skein intent "Fix the parser; I keep out of src/render"',
      );
    case "no-state-directory":
      return usage(`there is no place to keep runs: ${error.message}`, "set SKEIN_STATE_DIR to an absolute path");
    case "no-temporary-directory":
      return usage(
        `the temporary directory ${capLine(error.path, 500)} cannot be used: ${error.message}`,
        "set TMPDIR to the absolute path of a directory that exists, not a long one",
      );
    case "branch":
      return usage(
        `the run's branch could not be made: ${capLine(error.message, 1_000)}`,
        "nothing was begun or changed; once that is out of the way, start again",
      );
    case "file":
      return fileError(error);
    case "git":
      return {
        what: `git ${capLine(error.command, 300)} failed: ${capText(error.stderr, 1_000)}`,
        next: "skein doctor shows whether git works here",
        exitCode: 1,
      };
    case "store":
      return storeError(error.error, error.store);
    case "import":
      return importError(error.error);
    case "start":
      return {
        what: `the run could not be started: ${capText(error.message, 2_000)}`,
        next: `nothing was written to the repository; the store is ${error.store}`,
        exitCode: 1,
      };
    case "no-run":
      return noRun(error);
    case "not-a-swarm":
      return usage(
        `${error.run.id} is not a swarm's run: it was one agent's, of skein run`,
        `skein run --resume ${error.run.id} goes on with it; its transcript is in ${capLine(error.run.directories.agents, 500)}`,
      );
    case "run-held":
      return {
        what: `another coordinator owns the store of ${error.run}${error.pid === null ? "" : `: process ${error.pid}`}`,
        next: `nothing was changed; skein swarm status ${error.run} shows how it goes, skein swarm stop ${error.run} ends it`,
        exitCode: 1,
      };
    case "never-began":
      return usage(
        `the run ${error.run.id} was interrupted before it began: its goal was not recorded, and nothing was asked or changed`,
        `start it anew; skein runs prune --run ${error.run.id} removes what is left`,
      );
    case "repository-gone":
      return usage(
        `the repository of ${error.run.id} is not at ${capLine(error.path, 500)}: ${capLine(error.message, 300)}`,
        `everything that landed is kept in ${error.run.directories.run}; skein swarm --resume ${error.run.id} --repo <where it is now> goes on`,
      );
    case "repository-lacks-commit":
      return usage(
        `${capLine(error.path, 500)} does not have the commit ${error.commit} on which ${error.run.id} builds: it is another repository, or its history was rewritten`,
        `everything that landed is kept in ${error.run.directories.run}; name the repository with --repo, or fetch the commit into it, and resume again`,
      );
    case "not-running":
      return {
        what: `the run ${error.facts.runId} does not run: it is ${error.facts.state}`,
        next: error.facts.left.resumable
          ? `skein swarm --resume ${error.facts.runId} goes on with it`
          : `skein swarm status ${error.facts.runId} shows how it ended`,
        exitCode: 1,
      };
    case "no-answer":
      return {
        what: `the run's coordinator does not answer: ${capLine(error.message, 500)}`,
        next: "it may be at its end or just beginning: try again; Ctrl-C in its own terminal stops it too",
        exitCode: 1,
      };
    case "demo-directory":
      return usage(
        `${capLine(error.path, 500)} exists already`,
        "the demo makes its own project: name a directory that does not exist yet, or leave --dir out",
      );
    case "demo":
      return { what: capText(error.message, 2_000), next: "skein doctor shows what this machine lacks", exitCode: 1 };
    default:
      return unreachable(error);
  }
}

/** Of what was named badly, or may not be used, nothing was begun. */
const namedBadly = new Set<FileError["code"]>(["not-found", "not-directory", "is-directory", "exists", "denied"]);

function fileError({ code, path, message }: FileError): Explanation {
  const next =
    code === "no-space"
      ? "free space on that disk, then try again"
      : code === "not-directory"
        ? "name a directory"
        : code === "denied"
          ? "your user may not use it: name another place, or change its rights"
          : code === "exists"
            ? "something else stands there: name another place"
            : "check that it exists and that you may use it";
  return {
    what: `${capLine(path, 500)}: ${capLine(message, 500)}`,
    next,
    exitCode: namedBadly.has(code) ? 2 : 1,
  };
}

function badModelAdvice(name: string): string {
  if (name.startsWith("script:"))
    return "mend the script, or name another model with --model; docs/script-model.md has its format";
  if (name.startsWith("replay:"))
    return "name a directory that --record has written, whole and unchanged, or another model with --model";
  return "name another model with --model, such as anthropic/claude-haiku-4-5; docs/configuration.md has the forms";
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
    `name one with ${flags}, such as anthropic/claude-haiku-4-5, set SKEIN_MODEL, or write it into skein.config.json (docs/configuration.md); skein demo needs no model`,
  );
}

function noPrice({ name, scripted, file }: Extract<RoleModelError, { readonly kind: "no-price" }>): Explanation {
  const what = `the price of ${capLine(name, 300)} is not known, so that a budget could not be kept`;
  if (scripted)
    return usage(what, "leave the budget out: a script or a replay costs nothing; a script can name a price");
  const field = `prices[${JSON.stringify(capLine(name, 300))}]`;
  return usage(
    what,
    `set ${field} in ${file ?? "your own configuration file"} to {"input": <dollars per million tokens>, "output": <…>}, or leave the budget out`,
  );
}

function configError({ path, problems }: ConfigError): Explanation {
  const named = problems.map((problem) => capText(problem, 1_000)).join("\n  ");
  return usage(
    `${capLine(path, 500)}: ${named}`,
    "mend the file: docs/configuration.md has its settings, schema/skein.config.schema.json is for editors",
  );
}

function noSession({
  wanted,
  several,
  candidates,
}: Extract<IntentError, { readonly kind: "no-session" }>): Explanation {
  const known = candidates.slice(0, 10).map((name) => capLine(name, 120));
  if (wanted !== null && several)
    return usage(
      `${candidates.length} live sessions are meant by ${capLine(wanted, 100)}; nothing was changed`,
      `name one with its client: --session ${known.join(", or --session ")}`,
    );
  const list =
    known.length === 0
      ? "no live session is recorded: skein doctor shows whether hooks are installed"
      : `live sessions: ${known.join(", ")}; name one with --session`;
  return wanted === null
    ? usage("this command does not run inside an agent's session that is recorded", list)
    : usage(`there is no one live session whose id begins with ${capLine(wanted, 100)}`, list);
}

function noRun({ wanted, candidates }: NoRun): Explanation {
  const name = capLine(wanted, 100);
  return candidates.length === 0
    ? usage(`there is no run ${name}`, "skein runs lists those there are")
    : usage(`several runs are called so: ${candidates.slice(0, 10).join(", ")}`, "write more of the id");
}

function storeError(error: OpenError, store: string): Explanation {
  const what = `the store ${capLine(store, 500)} cannot be opened: ${capText(error.message, 1_000)}`;
  switch (error.kind) {
    case "held":
      return { what, next: "another process works on it: wait for it, or end it", exitCode: 1 };
    case "newer":
      return { what, next: "nothing was changed; use the version of skein that wrote it, or a newer one", exitCode: 1 };
    case "damaged":
      return {
        what,
        next: "nothing was changed, and branches that were exported are in their repository; restore the directory from a backup, or start anew",
        exitCode: 1,
      };
    case "io":
      return { what, next: `nothing was changed; ${diskHint(error.code)}`, exitCode: 1 };
    default:
      return unreachable(error);
  }
}

function diskHint(code: FileError["code"] | undefined): string {
  switch (code) {
    case "denied":
      return "your user may not use these files: their owner can, or can change their rights";
    case "read-only":
      return "the file system is mounted read-only: it can be read and not written";
    case "no-space":
      return "the disk is full: make room, then try again";
    default:
      return "is the disk full, or not yours to write?";
  }
}

function importError(error: IntoStoreError): Explanation {
  const nothing = "nothing was changed in the repository";
  switch (error.kind) {
    case "refused-paths": {
      const named = error.paths.map((item) => `  ${capLine(item.path, 300)}: ${item.reason}`).join("\n");
      return {
        what: `HEAD holds ${error.count} paths that cannot be taken in:\n${named}`,
        next: `${nothing}; rename or remove them in a commit first`,
        exitCode: 1,
      };
    }
    case "old-modes": {
      const named = error.entries.map((item) => `  ${capLine(item.path, 300)}: ${capLine(item.mode, 20)}`).join("\n");
      return {
        what: `HEAD holds ${error.count} entries with a mode that git reads and no longer writes, so its tree cannot be carried exactly:\n${named}`,
        next: `${nothing}; a commit with today's modes and the same files mends it: git ls-files -sz | git update-index -z --index-info && git commit --allow-empty -m "Write file modes as git does today"`,
        exitCode: 1,
      };
    }
    case "blob-too-large":
      return {
        what: `${capLine(error.path ?? error.id, 500)} has ${error.bytes} bytes, over this version's limit of ${error.bytesMax} a file`,
        next: nothing,
        exitCode: 1,
      };
    case "missing-blob":
    case "damaged-blob":
      return {
        what: `git cannot give the content of ${capLine(("path" in error ? error.path : null) ?? error.id, 500)}: the repository is a partial clone, or damaged`,
        next: `${nothing}; in a partial clone \`git fetch --refetch --no-filter\` brings what is missing, as does a full clone; git fsck tells more`,
        exitCode: 1,
      };
    case "git":
      return {
        what: `git ${capLine(error.command, 300)} failed: ${capText(error.stderr, 1_000)}`,
        next: nothing,
        exitCode: 1,
      };
    case "tree-mismatch":
      return {
        what: `the tree that was read (${error.actual}) is not the one git names (${error.expected})`,
        next: `${nothing}; this is a fault of skein: please report it with the repository's kind of content`,
        exitCode: 1,
      };
    case "history-tree":
      return {
        what: `the tree of commit ${error.commit} cannot be carried exactly: it has modes that git reads and no longer writes, or another old form`,
        next: `${nothing}, and the store was not begun; --history ${Math.max(0, error.newer - 1)} takes the commits after it`,
        exitCode: 1,
      };
    case "history-too-long":
      return {
        what: `${error.commits} commits are more than are taken along at once (${error.commitsMax})`,
        next: `${nothing}; --history ${error.commitsMax} takes the newest of them`,
        exitCode: 1,
      };
    case "batch-too-large":
      return {
        what: `the tree and its commits have ${error.bytes} bytes without the contents, over the limit of ${error.bytesMax}`,
        next: `${nothing}; take fewer commits along with --history <n>`,
        exitCode: 1,
      };
    case "bad-path":
      return { what: `${capLine(error.path, 500)} cannot be taken in: ${error.reason}`, next: nothing, exitCode: 1 };
    case "already-imported":
    case "bad-blob":
    case "moved":
    case "no-space":
    case "stopped":
      return {
        what: `the repository could not be taken in (${error.kind})${"message" in error ? `: ${capText(error.message, 500)}` : ""}`,
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
      return `git ${capLine(error.command, 300)} failed: ${capText(error.stderr, 1_000)}; ${kept}`;
    case "blob":
      return `a content could not be read: ${capLine(error.message, 500)}; ${kept}`;
    case "branch-exists":
      return `the branch ${capLine(error.branch, 300)} has commits that are not the run's, and so have its next names; ${kept}`;
    case "branch-checked-out":
      return `the branch ${capLine(error.branch, 300)} is checked out in ${capLine(error.worktree, 500)}; ${kept}`;
    case "branch-symbolic":
      return `the branch ${capLine(error.branch, 300)} is another name of ${capLine(error.target, 300)}, which would move in its place; ${kept}`;
    case "bad-branch-name":
      return `git takes no branch named ${capLine(error.branch, 300)}; ${kept}`;
    default:
      return unreachable(error);
  }
}
