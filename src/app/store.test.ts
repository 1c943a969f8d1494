// What a run's store refuses and takes, by the run's settings.

import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { request } from "../testing/vcs/vcs-rig.ts";
import { openStore } from "./store.ts";
import { importNothing } from "./store-import.ts";

test("a run's store refuses names that differ only by case until they are allowed, as a resumed run does late", async () => {
  using directory = temporaryDirectory();
  const store = unwrap(await openStore(nodeHost(), directory.path), "open");
  try {
    unwrap(await importNothing(store.vcs, "sha1"), "import");
    const refusedBy = async (by: number) => {
      const files = { "readme.md": "a", "README.md": "b" };
      const outcome = unwrap(await store.vcs.commit(request({ by, base: store.vcs.head(), files })), "commit");
      return outcome.kind === "refused" ? outcome.policy : outcome.kind;
    };
    const before = await refusedBy(1);
    store.allowCaseOnlyNames();
    // No task has a lease here: that is what a run's store asks for next.
    expect([before, await refusedBy(2)]).toEqual(["case", "lease"]);
  } finally {
    await store.close();
  }
});
