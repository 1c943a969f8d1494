// Full texts of capped results: saved under a name made of their content, so that the same text has one file.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../base/ids.ts";
import { simHost } from "../testing/sim/host.ts";
import { spillTo } from "./spill.ts";

test("H9 the full text is saved, and the same text in the same file", async () => {
  const host = simHost({ seed: 1 });
  const spill = spillTo(host.files, "/run/spill");
  const save = (callId: string, text: string) => spill({ agent: asAgentId("a1"), callId: asCallId(callId), text });
  const saved = [await save("c1", "long"), await save("c2", "long"), await save("c3", "other")];
  const listed = await host.files.list("/run/spill", 10);
  // The first 16 digits of `printf long | sha256sum` and of the same for `other`.
  const [long, other] = ["/run/spill/fc66f021c67d064c.txt", "/run/spill/d9298a10d1b07358.txt"];
  expect({ saved, files: listed.ok && listed.value.length }).toEqual({
    saved: [long, long, other].map((value) => ({ ok: true, value })),
    files: 2,
  });
});

test("a text that cannot be saved is an error value", async () => {
  const host = simHost({ seed: 1 });
  host.disk.failNext({ op: "write", code: "no-space" });
  const saved = await spillTo(host.files, "/spill")({ agent: asAgentId("a1"), callId: asCallId("c1"), text: "long" });
  expect(saved.ok ? saved : saved.error.code).toBe("no-space");
});
