// fsck of a whole store also looks at what lies beside the log.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { simHost } from "../testing/sim/host.ts";
import { checkStore } from "./store-fsck.ts";
import { importNothing } from "./store-import.ts";
import { openVcsStore } from "./vcs-store.ts";

test("files beside the large contents are named, a content whose bytes are others is a fault", async () => {
  const host = simHost({ seed: 3 });
  const directory = "/state/store";
  const store = unwrap(await openVcsStore(host, directory, { policies: [] }), "open");
  unwrap(await importNothing(store.vcs, "sha1"), "begin");
  await store.close();
  const large = `${directory}/large`;
  unwrap(await host.files.makeDirectory(large), "make");
  const bad = "1".repeat(40);
  for (const name of ["notes.txt", `${"2".repeat(40)}.new-1`, bad])
    unwrap(await host.files.write(`${large}/${name}`, Buffer.from("hello")), "write");
  const { faults, notes } = unwrap(await checkStore(host, directory), "fsck");
  expect({ faults, notes }).toEqual({
    faults: [{ file: `${large}/${bad}`, offset: 0, position: null, message: "the bytes do not match their id" }],
    notes: [
      `${large}/${"2".repeat(40)}.new-1 is unfinished: it is being sent, or the next writer removes it`,
      `${large}/notes.txt is no content of the store`,
    ],
  });
});
