// The proof before an edit is written, on editors that are wrong each in its own way: it must not take their own word.

import { expect, test } from "vitest";
import { ok } from "../../base/result.ts";
import { CLIENT_SETTINGS } from "../../clients/all-settings.ts";
import { tomlForm } from "../../clients/codex/toml.ts";
import type { HookEntry } from "../../clients/hooks-file/hooks.ts";
import { claudeForm } from "../../clients/hooks-file/json-form.ts";
import { userServer } from "../../clients/launcher-command.ts";
import { opencodeServerForm } from "../../clients/opencode/server.ts";
import { PROGRAM_MARK } from "../../clients/program-file/program-form.ts";
import type { HookForm } from "../../clients/settings.ts";
import { proofOfInstall, proofOfRemoval, proofOfServer } from "./proof.ts";

const json = claudeForm;
const command = "'/d/skein/skein-hook' claude-code";
const entries = [{ event: "Stop", matcher: null, command, timeoutS: 5 }];
const theirs =
  '{\n  "model": "opus",\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }] }\n}\n';

/** What the proof says of an edit that this form makes. */
function said(form: HookForm, before: string, wanted: readonly HookEntry[] = entries): string | null {
  const after = form.set(before, wanted);
  if (!after.ok) return after.error.message;
  return proofOfInstall(form, { before, after: after.value, entries: wanted })?.message ?? null;
}

function changing(form: HookForm, edit: (text: string) => string, which: "set" | "remove"): HookForm {
  return {
    ...form,
    [which]: (text: string, wanted: typeof entries) => {
      const result = form[which](text, wanted);
      return result.ok ? ok(edit(result.value)) : result;
    },
  };
}

test("right edits are proven: of a fresh file, of one with others' hooks, of one with older ones of ours, of TOML", () => {
  const older = json.set(theirs, [{ ...entries[0]!, timeoutS: 60 }]);
  expect([
    said(json, "{}\n"),
    said(json, theirs),
    older.ok && said(json, older.value),
    said(tomlForm, ""),
    said(tomlForm, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n'),
  ]).toEqual([null, null, null, null, null]);
});

test.each([
  ["takes another's hook out, always", changing(json, (text) => text.replace(/"mine"/, '"gone"'), "remove")],
  ["spoils white space whenever it takes out", changing(json, (text) => text.replaceAll("\n", ""), "remove")],
  ["drops a setting when it puts in", changing(json, (text) => text.replace('"model": "opus",', ""), "set")],
  ["changes a number when it puts in", changing(json, (text) => text.replace("opus", "haiku"), "set")],
  [
    "puts in another time limit",
    changing(json, (text) => text.replace(/("timeout": ?)5/, (_all, name: string) => `${name}6`), "set"),
  ],
  ["puts nothing in", { ...json, set: (text: string) => ok(text) }],
] as const)("P26 an editor that %s is refused", (_, form) => {
  expect(said(form, theirs)).toMatch(/^(our hooks could not be|something else in it)/);
});

test("P26 a removal that would take something else along is refused", () => {
  const installed = json.set(theirs, entries);
  const text = installed.ok ? installed.value : "";
  expect([proofOfRemoval(json, text, theirs), proofOfRemoval(json, text, "{}\n")?.message]).toEqual([
    null,
    "something else in it would have changed with our hooks",
  ]);
});

test("P26 flat lists: a right edit is proven, one that takes another's handler is refused", () => {
  const { form } = CLIENT_SETTINGS.cursor.files[0];
  const before = '{"version":1,"hooks":{"stop":[{"command":"mine"}],"Stop":[{"command":"mine","timeout":1}]}}';
  const without = (text: string): string => text.replace('{"command":"mine","timeout":1},', "");
  expect([said(form, before), said(form, form.blank)]).toEqual([null, null]);
  expect(said(changing(form, without, "set"), before)).toBe("our hooks could not be taken out of it again exactly");
  const both = { ...changing(form, without, "set"), remove: form.remove };
  const installed = both.set(before, entries);
  expect(proofOfRemoval(form, before, installed.ok ? installed.value : "")?.message).toMatch(/^something else in it/);
});

test("P26 a program of ours: a right edit is proven, one that replaces another's file is refused", () => {
  const { files, plan } = CLIENT_SETTINGS.opencode;
  const { entries: wanted } = plan(null, command.replace("claude-code", "opencode"));
  const [{ form }] = files;
  const foreign = "export const Mine = async () => ({});\n";
  const overwriting: HookForm = { ...form, set: () => form.set("", wanted) };
  expect([said(form, "", wanted), said(form, `${PROGRAM_MARK} long ago\n`, wanted)]).toEqual([null, null]);
  expect(said(overwriting, foreign, wanted)).toBe("our hooks could not be taken out of it again exactly");
  const ours = form.set("", wanted);
  expect(proofOfRemoval(form, foreign, ours.ok ? ours.value : "")?.message).toMatch(/^something else in it/);
});

test("P26 a server and its rule: a right edit is proven, also beside the person's own rule of that name; a wrong one is refused", () => {
  const form = opencodeServerForm;
  const said = (before: string, edit = (text: string): string => text): string | null => {
    const after = form.set(before, userServer("/d/skein/skein-hook"));
    return after.ok ? (proofOfServer(form, before, edit(after.value))?.message ?? null) : after.error.message;
  };
  const own = '{"permission":{"bash":"ask","skein_*":"allow"},"theme":"dark"}';
  expect([said(form.blank), said(own), said('{"permission":"ask"}')]).toEqual([null, null, null]);
  expect([said(own, (text) => text.replace("ask", "allow")), said(own, () => own)]).toEqual([
    "our MCP server could not be taken out of it again exactly",
    "our MCP server could not be put into it as it should be",
  ]);
});
