// How much one commit may hold: paths, characters of its message, bytes of a file and of all that is new.

import type { VcsLimits } from "../limits.ts";
import type { Policy } from "./policy.ts";

const MIB = 1024 * 1024;

export function pathCount({ commitPathsMax }: VcsLimits): Policy {
  return {
    name: "paths",
    when: "arrival",
    check({ request: { changes, reads = [] } }) {
      const count = Math.max(changes.length, reads.length);
      if (count <= commitPathsMax) return null;
      const does = changes.length > commitPathsMax ? "changes" : "names as read";
      return `The commit ${does} ${count} paths; at most ${commitPathsMax} go into one.`;
    },
  };
}

export function messageSize({ messageCharsMax }: VcsLimits): Policy {
  return {
    name: "message",
    when: "arrival",
    check({ request: { message } }) {
      if (message.length <= messageCharsMax) return null;
      return `The message has ${message.length} characters; at most ${messageCharsMax} are kept.`;
    },
  };
}

/** Of what came along: a content that the store has already is not judged again. */
export function contentSize({ fileBytesMax, commitBytesMax }: VcsLimits): Policy {
  return {
    name: "bytes",
    when: "arrival",
    check(proposal) {
      if (proposal.sentBytes <= Math.min(fileBytesMax, commitBytesMax)) return null;
      const counted = new Set<string>();
      let total = 0;
      for (const change of proposal.request.changes) {
        if (change.kind !== "put" || change.mode === "160000" || counted.has(change.blob)) continue;
        counted.add(change.blob);
        const bytes = proposal.sent(change.blob)?.bytes.byteLength ?? 0;
        if (bytes > fileBytesMax) {
          const sizes = `${mebibytes(bytes)} large; files over ${mebibytes(fileBytesMax)} are not committed`;
          return `${change.path} is ${sizes}. Remove it or add it to .gitignore, then commit the rest again.`;
        }
        total += bytes;
      }
      if (total <= commitBytesMax) return null;
      const sizes = `${mebibytes(total)} of new content; at most ${mebibytes(commitBytesMax)} go into one`;
      return `The commit holds ${sizes}. Split it into several commits.`;
    },
  };
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
