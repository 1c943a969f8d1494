// Errors of `skein vcs workspace` as a person reads them. What other commands of a store have too is told in errors-store.ts.

import type { WorkspacesError } from "../app/workspace-places.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { Explanation } from "./errors.ts";
import { explainStore } from "./errors-store.ts";
import { plural } from "./render/figures.ts";

export function explainWorkspace(error: WorkspacesError): Explanation {
  switch (error.kind) {
    case "bad-workspace-name":
      return {
        what: `${cleanLine(error.name, 200)} is no name for a workspace: up to 64 letters, digits, dots, dashes and underlines, the first a letter or digit; a1, a2 … are the agents'`,
        next: "nothing was made; give another name",
        exitCode: 2,
      };
    case "workspace-exists":
      return {
        what: `a workspace ${error.name} is there already, in ${cleanLine(error.directory, 500)}`,
        next: "nothing was changed; skein vcs workspace sync brings it up to date, rm removes it",
        exitCode: 2,
      };
    case "no-workspace":
      return {
        what: `the store ${cleanLine(error.store, 500)} has no workspace ${cleanLine(error.name, 200)}`,
        next: "skein vcs workspace list shows them, add makes one",
        exitCode: 2,
      };
    case "workspace-unmade":
      return {
        what: `the making of the workspace ${error.name} was cut off, or is under way`,
        next: `nothing was changed; skein vcs workspace add ${error.name} makes it anew`,
        exitCode: 1,
      };
    case "workspace-damaged":
      return {
        what: `${cleanLine(error.directory, 500)} is not whole: ${cleanLine(error.message, 500)}`,
        next: "nothing of it was changed; take out what you need, then remove the directory",
        exitCode: 1,
      };
    case "workspace-busy":
      return {
        what: `another process is at work in ${error.name}`,
        next: "nothing was changed; try again when it is through",
        exitCode: 1,
      };
    case "agents-workspace":
      return {
        what: `${error.name} is an agent's: its run changes and removes it`,
        next: "skein swarm --resume goes on with it, skein runs prune removes runs; skein vcs workspace show says what is in it",
        exitCode: 2,
      };
    case "workspace-dirty":
      return {
        what: `${error.name} holds ${plural(error.changes, "change")} that the store does not have, ${cleanLine(error.first, 300)} for one`,
        next: "it is kept; commit with skein vcs commit --from, or remove it all the same with --force",
        exitCode: 1,
      };
    case "workspace":
      return {
        what: `the workspace cannot be used: ${cleanText(error.message, 1_000)}`,
        next: "what is in it is kept; skein doctor says what this machine lacks",
        exitCode: 1,
      };
    default:
      return explainStore(error);
  }
}
