// The figures and the hottest files of `skein vcs stats`: the same names through the socket and from the files. Dense names for programs, one line each.

import type { Figure, Stats } from "../adapters/socket/served-store.ts";
import type { VcsStore } from "./vcs-store.ts";

const hottestMax = 10;

export function storeStats(store: VcsStore): Stats {
  return { figures: storeFigures(store), hottest: store.vcs.hottest(hottestMax) };
}

function storeFigures({ ledger, vcs, large }: VcsStore): readonly Figure[] {
  const imported = vcs.imported();
  const { commits, mergedCommits, mergedPaths, conflictsFound, conflictsResolved } = vcs.figures();
  const { stopped } = ledger;
  const source = imported === null || imported.source.repository === "" ? null : imported.source;
  return [
    { name: "position", value: vcs.head() },
    { name: "repository", value: source?.repository ?? null },
    { name: "importedCommit", value: source?.commit ?? null },
    { name: "importedAt", value: imported?.position ?? null },
    { name: "objectFormat", value: imported?.objectFormat ?? null },
    { name: "files", value: imported === null ? 0 : vcs.manifest(vcs.head()).size },
    { name: "commits", value: commits },
    { name: "mergedCommits", value: mergedCommits },
    { name: "mergedPaths", value: mergedPaths },
    { name: "conflictsFound", value: conflictsFound },
    { name: "conflictsResolved", value: conflictsResolved },
    { name: "largeContents", value: [...large.ids()].length },
    { name: "stopped", value: stopped === null ? null : "message" in stopped ? stopped.message : stopped.kind },
  ];
}
