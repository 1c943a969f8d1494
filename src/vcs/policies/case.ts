// Names that differ only by case are one file on a Mac or on Windows: a new one is refused. What is there already can be changed.
// Unicode forms are left as they are: which of them a file system takes for one differs too much.

import { cleanLine } from "../../base/text.ts";
import type { Policy } from "./policy.ts";

const pathCharsMax = 300;

export const casePolicy: Policy = {
  name: "case",
  when: "acceptance",
  isAboutPlaces: true,
  check({ request: { changes }, store }) {
    let deleted: ReadonlySet<string> | null = null;
    // Most commits add no path: nothing is made for them.
    let folded: Map<string, string> | null = null;
    for (const { kind, path } of changes) {
      if (kind !== "put" || store.stands(path)) continue;
      folded ??= new Map();
      const own = folded.get(path.toLowerCase());
      if (own !== undefined) return refusal(path, own);
      folded.set(path.toLowerCase(), path);
      deleted ??= new Set(changes.flatMap((change) => (change.kind === "delete" ? [change.path] : [])));
      const gone = deleted;
      const other = store.sameButCase(path, (file) => gone.has(file));
      if (other !== null) return refusal(path, other);
    }
    return null;
  },
};

function refusal(path: string, other: string): string {
  const names = `${cleanLine(path, pathCharsMax)} and ${cleanLine(other, pathCharsMax)}`;
  return `${names} differ only by case: on many systems they are one file. Take the name that is there, or another one.`;
}
