// References to design decisions: a new content may only refer to decisions that there are, so that a decision's number in the
// code can be trusted. A reference is the word `@decision` and the decision's id: `// @decision d12`.

import type { RepoPath } from "../../base/ids.ts";
import { namedPaths, type Policy } from "./policy.ts";
import type { Proposal } from "./proposal.ts";

export interface DecisionOptions {
  /** Whether there is such a decision, in the store or in the commit itself. */
  resolves(id: string, proposal: Proposal): boolean;
  /** Where an author finds those there are. */
  readonly where: string;
}

const WORD = "@decision";
const REFERENCE = /@decision[ \t]+(d\d{1,9})(?![\w-])/g;
/** Larger contents are data rather than code. */
const scannedBytesMax = 1024 * 1024;

export function decisionReferences({ resolves, where }: DecisionOptions): Policy {
  return {
    name: "decision",
    when: "acceptance",
    check(proposal) {
      for (const change of proposal.request.changes) {
        if (change.kind !== "put" || change.mode === "160000") continue;
        const bytes = proposal.sent(change.blob)?.bytes;
        if (bytes === undefined || bytes.byteLength > scannedBytesMax) continue;
        const unknown = referencesIn(bytes).filter((id) => !resolves(id, proposal));
        if (unknown.length === 0) continue;
        const what = unknown.length === 1 ? "a decision that does not exist" : "decisions that do not exist";
        return `${change.path} refers to ${what}: ${namedPaths(unknown)}. Those there are: ${where}. Correct the reference, or record the decision first.`;
      }
      return null;
    },
  };
}

/** Decisions as pages of a directory: `<directory>/d12.md` or `<directory>/d12-<title>.md`, on the head or in the commit itself. */
export function decisionPages(directory: string): DecisionOptions {
  const isPageOf = (path: RepoPath, id: string): boolean => {
    const name = path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : "";
    return name === `${id}.md` || (name.startsWith(`${id}-`) && name.endsWith(".md") && !name.includes("/"));
  };
  return {
    where: `${directory}/`,
    resolves(id, { request, store }) {
      const changed = new Map(request.changes.map((change) => [change.path, change.kind]));
      for (const [path, kind] of changed) if (kind === "put" && isPageOf(path, id)) return true;
      for (const path of store.headPaths(directory)) {
        if (isPageOf(path, id) && changed.get(path) !== "delete") return true;
      }
      return false;
    },
  };
}

/** Each id once, in the order of the text. */
export function referencesIn(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes(WORD)) return [];
  return [...new Set(Array.from(text.toString("latin1").matchAll(REFERENCE), ([, id]) => id ?? ""))];
}
