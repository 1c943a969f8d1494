// Errors of stores and their servers as a person reads them: what happened, what was kept, what to do next. What other commands
// have too is told in errors.ts.

import type { ServeError } from "../app/serve.ts";
import type { VcsError } from "../app/vcs-commands.ts";
import { unreachable } from "../base/assert.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { type Explanation, explain } from "./errors.ts";

export type StoreError = VcsError | ServeError;

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
