// What went wrong with a client's settings, as a person reads it: what happened, what was kept, what to do next.

import type { HooksError } from "../app/hooks/plan.ts";
import { unreachable } from "../base/assert.ts";
import { cleanLine } from "../base/text.ts";
import type { Explanation } from "./errors.ts";

export function explainHooks(error: HooksError): Explanation {
  switch (error.kind) {
    case "no-home":
      return {
        what: `there is no place for the hooks: ${error.message}`,
        next: "set HOME, then try again",
        exitCode: 2,
      };
    case "no-clients":
      return {
        what: "no agent that skein has hooks for was found on this machine",
        next: "name one to install its hooks all the same: skein install claude-code",
        exitCode: 2,
      };
    case "old-client":
      return {
        what: `${error.title} ${error.version} is too old: its hooks begin with ${error.versionMin}`,
        next: "nothing was changed; update it, then install again",
        exitCode: 1,
      };
    case "settings":
      return {
        what: `${cleanLine(error.path, 500)}: ${cleanLine(error.error.message, 500)}`,
        next: "the file was left as it is; mend it, then try again",
        exitCode: 1,
      };
    case "dangling":
      return {
        what: `${cleanLine(error.path, 500)} is a symlink to ${cleanLine(error.target, 500)}, which does not exist`,
        next: "nothing was changed; make the file it points to, or remove the link",
        exitCode: 1,
      };
    case "changed-meanwhile":
      return {
        what: `${cleanLine(error.path, 500)} was changed by somebody else at this very moment`,
        next: "the other change is kept, and ours is not in it; try again",
        exitCode: 1,
      };
    case "busy":
      return {
        what: "another skein install or uninstall is at work",
        next: "nothing was changed; try again when it is done",
        exitCode: 1,
      };
    case "file":
      return {
        what: `${cleanLine(error.path, 500)}: ${cleanLine(error.message, 500)}`,
        next: "it was left as it is; check that you may write there and that there is space",
        exitCode: 1,
      };
    default:
      return unreachable(error);
  }
}
