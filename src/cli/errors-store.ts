// Errors of stores and their servers as a person reads them: what happened, what was kept, what to do next. What other commands
// have too is told in errors.ts.

import type { ServeError } from "../app/serve.ts";
import type { VcsError } from "../app/vcs-commands.ts";
import type { ShowError } from "../app/vcs-reading.ts";
import type { ResolveError } from "../app/vcs-resolve.ts";
import type { UndoCommandError } from "../app/vcs-undo.ts";
import { unreachable } from "../base/assert.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { MirrorError } from "../vcs/git/mirror.ts";
import { type Explanation, explain, explainExport } from "./errors.ts";

export type StoreError = VcsError | ServeError | ShowError | ResolveError | UndoCommandError;

export function explainStore(error: StoreError): Explanation {
  switch (error.kind) {
    case "store-and-run":
      return usage("--store and --run were both given", "name the store by one of them");
    case "no-store-named":
      return usage(
        `no store was named, and ${cleanLine(error.path, 500)} is not in a git repository`,
        "name one with --store <dir> or --run <run>; skein runs lists the runs",
      );
    case "no-run-here":
      return usage(
        `no swarm has run on ${cleanLine(error.repository, 500)} yet`,
        "name a store with --store <dir>; skein vcs import makes one",
      );
    case "no-store":
      return usage(
        `there is no store in ${cleanLine(error.directory, 500)}`,
        "skein vcs import or skein vcs init makes one",
      );
    case "writer-silent":
      return failed(
        `another process has the store ${cleanLine(error.store, 500)} open and does not answer${error.pid === null ? "" : ` (process ${error.pid})`}`,
        "nothing was changed; it may be at its beginning or its end: try again",
      );
    case "already-served":
      return failed(
        `the store ${cleanLine(error.store, 500)} is served already${error.pid === null ? "" : `, by process ${error.pid}`}`,
        "nothing was changed; skein vcs asks that server",
      );
    case "store-stopped":
      return failed(
        `the store takes nothing more: ${cleanText(error.message, 1_000)}`,
        `everything that was acknowledged is in ${cleanLine(error.store, 500)}; free the disk or look after it, then serve it again`,
      );
    case "net":
      return failed(
        `the socket ${cleanLine(error.path, 500)} cannot be used: ${cleanLine(error.message, 500)}`,
        "name another place with --socket",
      );
    case "policies":
      return usage(
        `${cleanLine(error.path, 500)} cannot be used: ${cleanText(error.message, 2_000)}`,
        "docs/vcs.md has the form of this file",
      );
    case "no-revision":
      return usage(
        `${cleanLine(error.revision, 300)}: ${cleanLine(error.message, 500)}`,
        "git log shows what there is",
      );
    case "server":
      return serverError(error.error.kind === "failed" ? error.error.failed : error.error.kind, error.error.message);
    case "client":
      return serverError(error.error.kind === "failed" ? error.error.failed : error.error.kind, error.error.message);
    case "append":
      return failed(
        `the disk did not take the commit (${error.error.kind})${"message" in error.error ? `: ${cleanText(error.error.message, 1_000)}` : ""}`,
        `what was acknowledged before is kept; once the disk is well, commit again with --key ${cleanLine(error.key, 200)}`,
      );
    case "inside-workspace":
      return usage(
        `${cleanLine(error.from, 500)} is inside a workspace, and a commit is made from all of it`,
        `nothing was committed; use --from ${cleanLine(error.root, 500)} and name the paths`,
      );
    case "other-base":
      return usage(
        `the workspace ${error.name} is at snapshot ${error.at}, and snapshot ${error.base} has others' changes besides: a commit from there would take them back`,
        `nothing was committed; use --base ${error.at}, or bring it up first: skein vcs workspace sync ${error.name}`,
      );
    case "sync-cut-off":
      return failed(
        `a sync of the workspace ${error.name} was cut off, so that it holds files of two snapshots`,
        `nothing was committed and your changes are kept; end it first: skein vcs workspace sync ${error.name}`,
      );
    case "workspace-unusable":
      return failed(
        `the workspace ${error.name} cannot be committed from: ${cleanText(error.message, 1_000)}`,
        "nothing was committed, and what is in it is kept; skein vcs workspace show says more",
      );
    case "gc":
      return failed(
        `nothing was collected: ${cleanText(error.message, 1_000)}`,
        `everything is kept in ${cleanLine(error.store, 500)}; finish the run and export it first, or look after the disk`,
      );
    case "fsck":
      return failed(`the store cannot be checked: ${cleanText(error.message, 1_000)}`, "nothing was changed");
    case "scan":
      return failed(`the directory cannot be read whole: ${cleanText(error.message, 1_000)}`, "nothing was committed");
    case "bad-from":
      return usage(
        `the directory ${cleanLine(error.path, 500)} cannot be read: ${cleanLine(error.message, 500)}`,
        "name the one that holds the files with --from",
      );
    case "mirror":
      return mirrorError(error.error, error.store);
    case "mirror-source":
      return failed(
        `the store cannot be read any more: ${cleanText(error.message, 1_000)}`,
        "what was appended to the branch stays; run it again to go on from there",
      );
    case "empty-store":
      return usage(
        "--store is empty",
        "name the store's directory, or leave the flag out for this repository's newest run",
      );
    case "import":
      if (error.error.kind === "already-imported") {
        return failed(
          `the store has a tree already: it began with one at position ${error.error.position}`,
          "nothing was changed; commit to it with skein vcs commit, or name another directory with --store",
        );
      }
      return explain(error);
    case "no-position":
      return usage(
        `there is no position ${error.position}: the store's are from ${error.first} to ${error.head}`,
        "skein vcs log shows the commits' positions",
      );
    case "unreadable":
      return failed(
        `the store ${cleanLine(error.store, 500)} could not be read to the end: ${cleanText(error.message, 1_000)}`,
        "nothing was changed; try again, or look with skein vcs fsck",
      );
    case "no-commit":
      return usage(
        `no commit landed at position ${error.position}`,
        "before" in error && error.before !== null
          ? `the one before is at ${error.before}; skein vcs log shows all`
          : "skein vcs log shows the commits' positions",
      );
    case "no-commits-of":
      return usage(`no commit of ${cleanLine(error.who, 300)} has landed`, "skein vcs log shows agents and tasks");
    case "undo-too-large":
      return failed(
        `the undo would change ${error.paths} paths; at most ${error.pathsMax} go into one commit`,
        "nothing was changed; undo its commits in several parts, newest first",
      );
    case "undo-too-old":
      return failed(
        `the commit at ${error.position} is older than what the store keeps contents of, which begins at ${error.keptFrom}`,
        "nothing was changed; what it replaced has been removed by skein vcs gc",
      );
    case "no-such-conflict":
      return usage(`there is no conflict ${cleanLine(error.id, 100)}`, "skein vcs conflicts --all lists them");
    case "conflict-closed":
      return failed(
        `${cleanLine(error.id, 100)} is resolved already${error.by === null ? "" : `, by ${cleanLine(error.by, 100)}`}`,
        "nothing was changed; skein vcs undo takes a resolution back",
      );
    case "both-sides":
      return usage(
        `${cleanLine(error.path, 300)} is named with --ours and with --theirs`,
        "nothing was changed; name each path once",
      );
    case "not-in-conflict":
      return usage(
        `${cleanLine(error.path, 500)} is not in this conflict: ${cleanLine(error.paths.slice(0, 20).join(", "), 2_000)}`,
        "name paths that are",
      );
    case "undecided":
      return usage(
        `not decided: ${cleanLine(error.paths.slice(0, 20).join(", "), 2_000)}${error.paths.length > 20 ? ` and ${error.paths.length - 20} more` : ""}`,
        "take a side of each with --take, --ours or --theirs, or give its content with --from",
      );
    case "cannot-blame":
      return usage(`${cleanLine(error.path, 500)}: ${BLAME[error.because]}`, "skein vcs log <path> shows its commits");
    case "not-imported":
      return usage(
        "the store has no tree yet",
        "skein vcs import begins it with a repository's, skein vcs init --empty with an empty one",
      );
    case "no-snapshot":
      return usage(
        `there is no snapshot ${error.base} to commit from: the newest is ${error.head}`,
        "name the one your files were made from with --base",
      );
    case "bad-commit-path":
      return usage(`${cleanLine(error.path, 500)} cannot be committed: ${error.message}`, "name files below --from");
    default:
      return explain(error);
  }
}

function mirrorError(error: MirrorError, store: string): Explanation {
  switch (error.kind) {
    case "branch-moved":
      return failed(
        `the branch ${cleanLine(error.branch, 300)} cannot be appended to: it is at ${error.commit}, and ${error.reason}`,
        "nothing was changed; name another branch with --branch, or put that one back where the last mirror left it (git reflog)",
      );
    case "no-parent":
      return usage(
        `the repository has no commit ${error.commit}, with which the store began`,
        "name the one it was imported from with --repo",
      );
    case "mirror-mismatch":
      return failed(
        `the tree that git made (${error.actual}) is not the store's at position ${error.position} (${error.expected})`,
        "the branch was not moved; skein vcs fsck checks the store. If it finds nothing, this is a fault of skein: please report it",
      );
    case "branch-exists":
    case "branch-checked-out":
    case "branch-symbolic":
    case "bad-branch-name":
    case "blob":
    case "git":
      return failed(
        explainExport(error, cleanLine(store, 500)),
        "nothing was changed; name another branch with --branch",
      );
    default:
      return unreachable(error);
  }
}

const BLAME = {
  "no-file": "there is no such file at that position",
  binary: "it is binary and has no lines",
  "too-large": "it has too many lines",
  "not-kept": "its content is not kept any more",
} as const;

type ServerKind =
  | "unreachable"
  | "turned-away"
  | "other-store"
  | "closed"
  | "unknown"
  | "store"
  | "bad-request"
  | "too-large"
  | "not-found"
  | "damaged"
  | "unsupported"
  | "internal";

function serverError(kind: ServerKind, text: string): Explanation {
  const message = cleanText(text, 2_000);
  switch (kind) {
    case "unreachable":
    case "closed":
      return failed(
        `the store's server does not answer any more: ${message}`,
        "whether a commit that was under way landed is not known: repeat it with the same --key, and it lands once",
      );
    case "turned-away":
    case "other-store":
      return failed(`the store's server does not talk to this command: ${message}`, "nothing was changed");
    case "store":
      return failed(
        `the store refused: ${message}`,
        "everything that was acknowledged before is kept; the server's own terminal says more",
      );
    case "damaged":
      return failed(`a content is damaged: ${message}`, "skein vcs fsck shows all that is");
    case "bad-request":
    case "too-large":
    case "not-found":
    case "unsupported":
      return failed(message, "nothing was changed");
    case "unknown":
    case "internal":
      return failed(`the server failed: ${message}`, "this is a fault of skein: please report it");
    default:
      return unreachable(kind);
  }
}

function usage(what: string, next: string): Explanation {
  return { what, next, exitCode: 2 };
}

function failed(what: string, next: string): Explanation {
  return { what, next, exitCode: 1 };
}
