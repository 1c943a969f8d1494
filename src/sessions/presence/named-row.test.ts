// Which session is meant by an id, by its beginning, and by an id that two clients have.

import { expect, test } from "vitest";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import { namedRow, wholeName } from "./named-row.ts";

test("an id that sessions of two clients have is told apart by the client, and by nothing else", async () => {
  using rig = new PresenceRig();
  for (const [id, client] of [
    ["abc-1", "claude-code"],
    ["abc-1", "codex"],
    ["abc-12", "codex"],
    ["x/y", "codex"],
  ] as const)
    await rig.session(id, { client }).fire({ kind: "session-started", source: "startup" });
  const rows = await rig.rows();
  const meant = (wanted: string) => {
    const found = namedRow(rows, wanted);
    if (found.kind === "several") return found.rows.map(wholeName).toSorted();
    return found.kind === "one" ? wholeName(found.row) : null;
  };
  const wanted = [
    "abc-1",
    "codex/abc-1",
    "claude-code/ab",
    "codex/abc",
    "abc-12",
    "x/y",
    "codex/x/y",
    "codex/",
    "b",
    "",
  ];
  expect(wanted.map(meant)).toEqual([
    ["claude-code/abc-1", "codex/abc-1"],
    "codex/abc-1",
    "claude-code/abc-1",
    ["codex/abc-1", "codex/abc-12"],
    "codex/abc-12",
    "codex/x/y",
    "codex/x/y",
    null,
    null,
    null,
  ]);
});
