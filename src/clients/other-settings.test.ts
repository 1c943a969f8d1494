// Settings of the clients that are not in Claude Code's form: programs of ours as whole files, and Cursor's flat lists.

import { expect, test } from "vitest";
import { CLIENT_SETTINGS } from "./all-settings.ts";
import type { HookedClient } from "./launcher-command.ts";
import { userCommand } from "./launcher-command.ts";

const launcher = "/home/u/.local/share/skein/skein-hook";

function setUp(client: HookedClient) {
  const { files, plan } = CLIENT_SETTINGS[client];
  const { entries } = plan(null, userCommand(launcher, client));
  return { ...files[0], entries };
}

test.each(["opencode", "pi"] as const)("P26 P27 %s: a file that is all ours, and no other", (client) => {
  const { form, entries } = setUp(client);
  const installed = form.set("", entries);
  const text = installed.ok ? installed.value : "";
  expect(form.find(text)).toEqual({ ok: true, value: entries });
  expect([form.set(text, entries), form.remove(text)]).toEqual([installed, { ok: true, value: form.blank }]);
  // One that an older version wrote is replaced, and doctor asks for it.
  const older = text.replace("waitMsMax = 5000", "waitMsMax = 4000");
  expect(older === text).toBe(false);
  expect(form.find(older)).toEqual({ ok: true, value: [{ ...entries[0], event: `an older ${entries[0]?.event}` }] });
  expect([form.set(older, entries), form.remove(older)]).toEqual([installed, { ok: true, value: "" }]);
  const foreign = "export const Mine = async () => ({});\n";
  expect([form.find(foreign), form.remove(foreign)]).toEqual([
    { ok: true, value: [] },
    { ok: true, value: foreign },
  ]);
  expect(form.set(foreign, entries)).toEqual({
    ok: false,
    error: {
      kind: "settings",
      code: "shape",
      message: "it is not one that skein wrote: move it to another name, then install again",
    },
  });
  const changed = text.replace(/^const command = .*$/m, "const command = mine();");
  expect(form.find(changed)).toMatchObject({ ok: false, error: { code: "shape" } });
});

test("P26 Cursor: flat handlers among others, back to the byte; a second time changes nothing", () => {
  const { form, entries } = setUp("cursor");
  const own = '{\n  "version": 1,\n  "hooks": {\n    "stop": [ { "command": "./audit.sh" } ]\n  }\n}\n';
  for (const before of [own, form.blank, '{"version":1,"hooks":{}}']) {
    const installed = form.set(before, entries);
    const text = installed.ok ? installed.value : "";
    const { version, hooks } = JSON.parse(text);
    expect([version, hooks.sessionStart, hooks.preToolUse, hooks.stop.at(-1)]).toEqual([
      1,
      [{ command: userCommand(launcher, "cursor"), timeout: 5 }],
      [{ command: `${userCommand(launcher, "cursor")} shell`, timeout: 5, matcher: "Shell" }],
      { command: userCommand(launcher, "cursor"), timeout: 5 },
    ]);
    expect([form.find(text), form.set(text, entries), form.remove(text)]).toEqual([
      { ok: true, value: expect.arrayContaining([...entries]) },
      installed,
      { ok: true, value: before },
    ]);
  }
});
