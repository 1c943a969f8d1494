// What a store's writer does besides commits: figures, import, collecting garbage, checking. The same through the socket and by hand.

import type { Upkeep } from "../adapters/socket/served-store.ts";
import { err, ok } from "../base/result.ts";
import { storeStats } from "./store-figures.ts";
import { checkStore } from "./store-fsck.ts";
import { collectStore, gcErrorText } from "./store-gc.ts";
import { importErrorText, importRevision } from "./store-import.ts";
import type { Surroundings } from "./surroundings.ts";
import type { VcsStore } from "./vcs-store.ts";

export function storeUpkeep(surroundings: Surroundings, store: VcsStore, directory: string): Upkeep {
  const { host } = surroundings;
  return {
    stats: async () => storeStats(store),
    async undo(request) {
      const undone = await store.vcs.undo(request);
      return ok(JSON.stringify(undone));
    },
    async gc(keep) {
      const report = await collectStore(host, { store, directory, keep });
      return report.ok ? ok(JSON.stringify(report.value)) : err(gcErrorText(report.error));
    },
    async fsck() {
      const report = await checkStore(host, directory);
      return report.ok ? ok(JSON.stringify(report.value)) : err(`${report.error.file}: ${report.error.message}`);
    },
    async import(source) {
      const report = await importRevision(surroundings, store.vcs, source);
      return report.ok ? ok(JSON.stringify(report.value)) : err(importErrorText(report.error));
    },
  };
}
