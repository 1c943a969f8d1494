// Codex's config.toml as people have it: the tables come out again to the byte, or the file is refused.

import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { codexSettings } from "./settings.ts";
import { featureIsOff, holdsHooks, tomlForm } from "./toml.ts";

const command = "[ ! -x '/home/o'\\''x/skein/skein-hook' ] || '/home/o'\\''x/skein/skein-hook' codex";
const { entries } = codexSettings.plan([0, 171, 0], command);

const own = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "echo stop"\n';
const kept: Readonly<Record<string, string>> = {
  "hooks alone": own,
  "no line's end at the end": own.trimEnd(),
  "several line ends at the end": `${own}\n\n`,
  CRLF: own.replaceAll("\n", "\r\n"),
  "CRLF without the last": own.replaceAll("\n", "\r\n").trimEnd(),
  "a byte order mark": `\ufeff${own}`,
  "settings, comments and hooks": `# mine\nmodel = "gpt-5.5" # best\n\n[features]\nplugins=false\n\n${own}\n[mcp_servers.a]\ncommand = 'x'\nargs = [\n  "1", # one\n]\n`,
  "a comment at the end": `${own}# the end`,
  "what Codex notes of approvals": `${own}\n[hooks.state."/home/u/.codex/config.toml:stop:0:0"]\ntrusted_hash = "sha256:00"\n`,
  "dates, large numbers, texts over lines": `at = 2026-11-30T00:00:00Z\nbig = 9223372036854775807\nt = """\n[[hooks.Stop]]\n"""\n${own}`,
  nothing: "",
};

test.each(Object.entries(kept))("P26 %s: install and uninstall give the same bytes", (_name, text) => {
  const installed = tomlForm.set(text, entries);
  if (!installed.ok) throw new Error(installed.error.message);
  expect(tomlForm.find(installed.value)).toEqual({ ok: true, value: expect.arrayContaining([...entries]) });
  expect(tomlForm.set(installed.value, entries)).toEqual(installed);
  expect(tomlForm.remove(installed.value)).toEqual({ ok: true, value: text });
  // A parser of its own: everything else means what it meant.
  const [before, after] = [text, installed.value].map((one) =>
    parse(one.replace(/^\ufeff/, ""), { integersAsBigInt: true }),
  );
  expect({ ...after, hooks: null }).toEqual({ ...before, hooks: null });
});

test("P26 what Codex adds behind our tables stays when they go", () => {
  const installed = tomlForm.set(own, entries);
  const state = '\n[hooks.state."/home/u/.codex/config.toml:session_start:0:0"]\ntrusted_hash = "sha256:11"\n';
  expect(installed.ok && tomlForm.remove(installed.value + state)).toEqual({ ok: true, value: own + state });
});

const refused: Readonly<Record<string, readonly [text: string, code: string]>> = {
  "no TOML": ["model = \n", "malformed"],
  "a key twice": ["a = 1\na = 2\n", "malformed"],
  JSON: ['{"hooks":{}}', "malformed"],
  "hooks in one line": ["hooks = { Stop = [ { hooks = [] } ] }\n", "shape"],
  "an event as a list": ["[hooks]\nStop = [ { hooks = [] } ]\n", "shape"],
  "an event as a table": ["[hooks.Stop]\nhooks = []\n", "shape"],
};

test.each(Object.entries(refused))("P27 %s is refused", (_name, [text, code]) => {
  expect(tomlForm.set(text, entries)).toEqual({
    ok: false,
    error: { kind: "settings", code, message: expect.any(String) },
  });
});

test("P27 our tables that a person has changed are theirs to remove", () => {
  const installed = tomlForm.set(own, entries);
  const changed = (installed.ok ? installed.value : "").replace("timeout = 3", "timeout = 3 # more?");
  expect(tomlForm.remove(changed)).toEqual({
    ok: false,
    error: { kind: "settings", code: "shape", message: expect.stringMatching(/changed by hand/) },
  });
});

test("where hooks go: hooks.json, unless config.toml alone has hooks", () => {
  const chosen = (files: Readonly<Record<string, string>>): string =>
    codexSettings.choose(new Map(Object.entries(files))).name;
  const approvals = '[hooks.state."x"]\ntrusted_hash = "y"\n';
  expect([
    chosen({}),
    chosen({ "config.toml": 'model = "x"\n' }),
    chosen({ "config.toml": approvals }),
    chosen({ "config.toml": own }),
    chosen({ "config.toml": own, "hooks.json": "{}" }),
    chosen({ "config.toml": "no TOML" }),
  ]).toEqual(["hooks.json", "hooks.json", "hooks.json", "config.toml", "hooks.json", "hooks.json"]);
  expect([holdsHooks(own), holdsHooks(approvals)]).toEqual([true, false]);
});

test("hooks that are switched off", () => {
  const files = [
    "[features]\nhooks = false\n",
    "[features]\ncodex_hooks = false\n",
    "[features]\nhooks = true\ncodex_hooks = false\n",
    "",
  ];
  expect(files.map(featureIsOff)).toEqual([true, true, false, false]);
});
