// Settings files as people have them: what goes in comes out again to the byte, or the file is refused.

import fc from "fast-check";
import { expect, test } from "vitest";
import { CLIENT_SETTINGS } from "../all-settings.ts";
import { parseDocument } from "./document.ts";
import { findHooks, type HookEntry, removeHooks, setHooks } from "./hooks.ts";

const command = "[ ! -x '/d/skein/skein-hook' ] || '/d/skein/skein-hook' claude-code";
const entry = (event: string, matcher: string | null = null): HookEntry => ({ event, matcher, command, timeoutS: 5 });
const entries = [
  entry("SessionStart"),
  entry("PreToolUse", "Bash"),
  entry("PostToolUse", "Edit|Write|Bash"),
  entry("Stop"),
];
const strict = { comments: false };
const loose = { comments: true };
/** Gemini CLI's and Qwen Code's reader: comments, no comma at the end, times in milliseconds. */
const gemini = { comments: true, trailingCommas: false, timeoutUnit: "ms" } as const;

const others = (count: number): object => ({
  hooks: {
    SessionStart: [{ hooks: [{ type: "command", command: "echo 'welcome \"home\"'" }] }],
    PostToolUse: Array.from({ length: count }, (_, index) => ({
      matcher: index % 2 === 0 ? "Write" : "*",
      hooks: [{ type: "command", command: `/opt/tools/hook-${index} --flag`, timeout: 60 }],
    })),
  },
});
const model = { model: "opus", env: { A: "1" }, unknown: [1, [2, { three: null }]] };
const pretty = (value: object, indent: number | string = 2): string => JSON.stringify(value, null, indent);

const kept: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object and a line's end": "{}\n",
  "an empty object with a space": "{ }",
  "an empty object over lines": "{\n}",
  "an empty object over lines and a line's end": "{\n}\n",
  "an empty object over three lines": "{\n\n}\n",
  "an empty object with CRLF": "{\r\n}\r\n",
  "an empty object after white space": "\n\n  {}\n\n",
  "one line": '{"model":"opus"}',
  "one line with a line's end": '{"model":"opus"}\n',
  "one line with spaces": '{ "model" : "opus" , "x" : [ ] }',
  "two spaces": pretty(model),
  "two spaces and a line's end": `${pretty(model)}\n`,
  "four spaces": `${pretty(model, 4)}\n`,
  "three spaces": `${pretty(model, 3)}\n`,
  tabs: `${pretty(model, "\t")}\n`,
  CRLF: `${pretty(model).replaceAll("\n", "\r\n")}\r\n`,
  "CRLF with tabs": pretty(model, "\t").replaceAll("\n", "\r\n"),
  "mixed line ends": '{\n  "a": 1,\r\n  "b": 2\n}\r\n',
  "a byte order mark": `\ufeff${pretty(model)}\n`,
  "a byte order mark on one line": '\ufeff{"a":1}',
  "several line ends at the end": `${pretty(model)}\n\n\n`,
  "white space at lines' ends": '{  \n  "a": 1,  \n  "b": 2  \n}  \n',
  "no indentation": '{\n"a": 1,\n"b": {\n"c": 2\n}\n}\n',
  "wild indentation": '{\n      "a": 1,\n  "b": [\n 1, 2\n          ]\n    }\n',
  "commas at the beginning of lines": '{\n  "a": 1\n, "b": 2\n}\n',
  "brackets on lines of their own": '{\n  "a":\n  {\n    "b": 1\n  }\n}\n',
  "the last property on the first line": '{"a": 1,\n "b": 2}\n',
  "hooks that are empty": '{"hooks":{}}',
  "hooks that are empty over lines": '{\n  "hooks": {}\n}\n',
  "hooks that are empty with a space": '{ "hooks": { } }',
  "hooks that are empty over two lines": '{\n  "hooks": {\n  }\n}\n',
  "hooks that are empty, tabs": '{\n\t"hooks": {},\n\t"z": 1\n}\n',
  "an event that is empty": '{\n  "hooks": {\n    "SessionStart": []\n  }\n}\n',
  "an event that is empty on one line": '{"hooks":{"SessionStart":[]}}',
  "an event that is empty with a space": '{"hooks":{"SessionStart":[ ]}}',
  "an event that is empty over lines": '{\n  "hooks": {\n    "SessionStart": [\n    ]\n  }\n}\n',
  "all events that are empty": '{"hooks":{"SessionStart":[],"PreToolUse":[],"PostToolUse":[],"Stop":[]}}\n',
  "one hook of another": `${pretty(others(1))}\n`,
  "one hook of another on one line": JSON.stringify(others(1)),
  "59 hooks of others": `${pretty({ ...others(58), ...model })}\n`,
  "59 hooks of others, tabs and CRLF": pretty({ ...model, ...others(58) }, "\t").replaceAll("\n", "\r\n"),
  "59 hooks of others on one line": JSON.stringify({ ...others(58), ...model }),
  "hooks of others, each on a line":
    '{\n  "hooks": {\n    "SessionStart": [{"hooks": [{"type":"command","command":"a"}]}, {"hooks": []}]\n  }\n}\n',
  "an inline event among lines": '{\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n',
  "hooks in the middle": `${pretty({ a: 1, ...others(2), z: 2 })}\n`,
  "hooks in front": `${pretty({ ...others(2), z: 2 })}\n`,
  "events that we do not know": '{\n  "hooks": {\n    "Teatime": [{"hooks": []}],\n    "Odd": "not a list"\n  }\n}\n',
  "a group without hooks": '{"hooks":{"Stop":[{"matcher":"*"}]}}',
  "groups of other kinds": '{"hooks":{"Stop":[null, 3, "text", [], {"hooks": "no list"}, {"hooks":[null,1]}]}}',
  "handlers of other kinds":
    '{"hooks":{"Stop":[{"hooks":[{"type":"prompt","prompt":"p"},{"type":"http","url":"u"}]}]}}',
  "a command that only names us": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"grep skein-hook log"}]}]}}',
  "a command whose name begins like ours":
    '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/opt/skein/skein-hook-audit.py --for claude-code"}]}]}}',
  "a command that calls ours among others":
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mylog; \'/d/skein/skein-hook\' claude-code"}]}]}}',
  "escapes in keys": '{"h\\u006foks2":1,"\\u0061":"\\ud83d\\ude00"}',
  "a key of ours elsewhere": '{"nested":{"hooks":{"SessionStart":[]}}}',
  unicode: '{\n  "größe": "10 µm 🦢",\n  "日本": ["語"]\n}\n',
  "numbers of every form": '{"a":-0,"b":1e400,"c":123456789012345678901234567890,"d":1.50}',
  "an empty key": '{"":{"":[]}}',
  __proto__: '{"__proto__":{"hooks":1},"constructor":2}',
  "a key that stands twice elsewhere": '{"a":1,"a":2}',
  "100 levels": `{"a":${"[".repeat(100)}${"]".repeat(100)}}`,
  "a long text": JSON.stringify({ text: "x".repeat(200_000) }),
  "brackets and commas in texts": '{"a":"},{[]],\\"hooks\\":{","b":"// no comment /* here */"}',
  "a line separator in a text": '{"a":"\u2028\u2029"}',
};

test.each(Object.entries(kept))("P26 %s: install and uninstall give the same bytes", (_name, text) => {
  const installed = setHooks(text, entries, strict);
  expect(installed.ok && findHooks(installed.value, strict)).toEqual({
    ok: true,
    value: expect.arrayContaining(entries),
  });
  if (!installed.ok) return;
  expect(installed.value.length).toBeGreaterThan(text.length);
  expect(withoutOurs(installed.value)).toEqual(withoutOurs(text));
  expect(setHooks(installed.value, entries, strict)).toEqual(installed);
  expect(removeHooks(installed.value, strict)).toEqual({ ok: true, value: text });
});

const commented: Readonly<Record<string, string>> = {
  "a comment in front": '// mine\n{\n  "a": 1\n}\n',
  "comments at lines' ends": '{\n  "a": 1, // one, and\n  "b": 2 // two\n}\n',
  "an object of comments": "{\n  // nothing, yet\n}\n",
  "block comments": '{ /* , */ "a" /* : */ : 1 /* } */ }',
  "hooks of comments": '{\n  "hooks": {\n    // "SessionStart": []\n  }\n}\n',
  "an event of comments": '{"hooks":{"Stop":[ /* none */ ]}}',
  "a comma at the end": '{\n  "a": [1, 2,],\n}\n',
  "commas at the end of hooks": '{"hooks":{"Stop":[{"hooks":[]},],},}',
};

test.each(Object.entries(commented))("P26 %s, where the client takes it: the same bytes", (_name, text) => {
  const installed = setHooks(text, entries, loose);
  if (!installed.ok) throw new Error(installed.error.message);
  expect(findHooks(installed.value, loose)).toEqual({ ok: true, value: expect.arrayContaining(entries) });
  expect(removeHooks(installed.value, loose)).toEqual({ ok: true, value: text });
});

const withCommas = ["a comma at the end", "commas at the end of hooks"];

test.each(Object.entries({ ...kept, ...commented }))(
  "P26 %s, with milliseconds: the same bytes, or refused",
  (name, text) => {
    const installed = setHooks(text, entries, gemini);
    if (withCommas.includes(name)) {
      expect(installed).toMatchObject({ ok: false, error: { code: "malformed" } });
      return;
    }
    if (!installed.ok) throw new Error(installed.error.message);
    // Every time that is new is ours, and is five seconds.
    const times = (one: string): readonly string[] => one.match(/"timeout": ?\d+/g) ?? [];
    const added = times(installed.value).slice(times(text).length);
    expect([added.length, times(installed.value).filter((time) => /\b5000$/.test(time)).length]).toEqual([4, 4]);
    expect(findHooks(installed.value, gemini)).toEqual({ ok: true, value: expect.arrayContaining(entries) });
    expect(setHooks(installed.value, entries, gemini)).toEqual(installed);
    expect(removeHooks(installed.value, gemini)).toEqual({ ok: true, value: text });
  },
);

const refused: Readonly<Record<string, readonly [text: string, code: string, message: RegExp]>> = {
  nothing: ["", "malformed", /is empty/],
  "white space": [" \n\t\n", "malformed", /is empty/],
  "a byte order mark alone": ["\ufeff", "malformed", /is empty/],
  "half an object": ['{"a":1', "malformed", /line 1, column 7/],
  "a missing comma": ['{\n  "a": 1\n  "b": 2\n}\n', "malformed", /CommaExpected at line 3, column 3/],
  "a bracket too many": ['{"a":1}}', "malformed", /line 1, column 8/],
  "two objects": ["{}{}", "malformed", /line 1, column 3/],
  "a single quote": ["{'a':1}", "malformed", /line 1/],
  "a bare key": ["{a:1}", "malformed", /line 1/],
  "a comment": ['{\n  // mine\n  "a": 1\n}\n', "malformed", /InvalidCommentToken at line 2, column 3/],
  "a comma at the end": ['{"a":1,}', "malformed", /line 1/],
  "a text without an end": ['{"a":"b\n}', "malformed", /line 1/],
  "a tab in a text": ['{"a":"b\tc"}', "malformed", /./],
  TOML: ["[hooks]\na = 1\n", "malformed", /./],
  "conflict markers": ['<<<<<<< HEAD\n{"a":1}\n=======\n{"a":2}\n>>>>>>> x\n', "malformed", /./],
  "a list": ["[]", "shape", /not an object/],
  null: ["null", "shape", /not an object/],
  "a text": ['"hooks"', "shape", /not an object/],
  "hooks that are a list": ['{"hooks":[]}', "shape", /"hooks" in it is not an object/],
  "hooks that are null": ['{"hooks":null}', "shape", /"hooks" in it is not an object/],
  "hooks twice": ['{"hooks":{},"hooks":{}}', "shape", /"hooks" stands in it 2 times/],
  "an event twice": ['{"hooks":{"Stop":[],"Stop":[]}}', "shape", /"Stop" stands twice/],
  "an event that is no list": ['{"hooks":{"Stop":{}}}', "shape", /hooks.Stop in it is not a list/],
  "an event that is null": ['{"hooks":{"SessionStart":null}}', "shape", /not a list/],
  "10,000 levels": [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, "malformed", /200 levels/],
};

test.each(Object.entries(refused))("P27 %s is refused", (_name, [text, code, message]) => {
  const result = setHooks(text, entries, strict);
  expect(result).toEqual({ ok: false, error: { kind: "settings", code, message: expect.stringMatching(message) } });
});

test.each(Object.entries(kept))("P26 %s: written anew by the client, only our hooks go", (_name, text) => {
  const installed = setHooks(text, entries, strict);
  if (!installed.ok) throw new Error(installed.error.message);
  for (const indent of [0, 2, "\t"]) {
    const rewritten = JSON.stringify(JSON.parse(installed.value.replace(/^\ufeff/, "")), null, indent);
    const removed = removeHooks(rewritten, strict);
    // As the client would have written the file without us: JSON has no -0, for example.
    const plain = JSON.stringify(JSON.parse(text.replace(/^\ufeff/, "")));
    expect(removed.ok && withoutOurs(removed.value)).toEqual(withoutOurs(plain));
    expect(removed.ok && findHooks(removed.value, strict)).toEqual({ ok: true, value: [] });
  }
});

test("P26 an older version's hooks are replaced, in whatever group a person has put them", () => {
  const old = "'/elsewhere/share/skein/skein-hook' claude-code";
  const text = pretty({
    hooks: {
      Stop: [
        {
          hooks: [
            { type: "command", command: "mine" },
            { type: "command", command: old },
            { type: "command", command: "other" },
          ],
        },
      ],
      Notification: [{ hooks: [{ type: "command", command: old }] }],
    },
  });
  const result = setHooks(text, [entry("Stop")], strict);
  expect(result.ok && JSON.parse(result.value)).toEqual({
    hooks: {
      Stop: [
        {
          hooks: [
            { type: "command", command: "mine" },
            { type: "command", command: "other" },
          ],
        },
        { hooks: [{ type: "command", command, timeout: 5 }] },
      ],
    },
  });
});

test("P26 what others add after ours stays when ours goes", () => {
  const installed = setHooks('{\n  "hooks": {\n    "Stop": []\n  }\n}\n', [entry("Stop")], strict);
  if (!installed.ok) throw new Error(installed.error.message);
  const settings = JSON.parse(installed.value);
  settings.hooks.Stop.push({ hooks: [{ type: "command", command: "later" }] });
  settings.theme = "dark";
  const removed = removeHooks(pretty(settings), strict);
  expect(removed).toEqual({
    ok: true,
    value: pretty({ hooks: { Stop: [{ hooks: [{ type: "command", command: "later" }] }] }, theme: "dark" }),
  });
});

/** JSON with white space wherever JSON allows it. */
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 3 }), fc.array(fc.constantFrom("", " ", "\n", "\t", "\r\n  "), { minLength: 1 }))
  .map(([value, gaps]) => {
    let next = 0;
    const text = JSON.stringify({ a: value, hooks: { Stop: [value].flat() } });
    return text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}:,]/g, (token) => token + (gaps[next++ % gaps.length] ?? ""));
  });

test.each([
  ["in seconds", strict],
  ["in milliseconds", gemini],
] as const)("P26 generated files, %s: the same bytes", (_name, dialect) => {
  fc.assert(
    fc.property(spaced, (text) => {
      const installed = setHooks(text, entries, dialect);
      if (!installed.ok) throw new Error(installed.error.message);
      JSON.parse(installed.value);
      expect(removeHooks(installed.value, dialect)).toEqual({ ok: true, value: text });
    }),
    { numRuns: 150 },
  );
});

/** JSON with comments wherever a reader that removes them allows it. */
const commentedJson = fc
  .tuple(
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(fc.constantFrom("", " ", "\n// a, {b}\n", "/* [ */"), { minLength: 1 }),
  )
  .map(([value, gaps]) => {
    let next = 0;
    const text = JSON.stringify({ a: value, hooks: { Stop: [value].flat() } });
    return text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}:,]/g, (token) => token + (gaps[next++ % gaps.length] ?? ""));
  });

test("P26 generated files with comments: every byte that is not ours stays", () => {
  fc.assert(
    fc.property(commentedJson, (text) => {
      const installed = setHooks(text, entries, gemini);
      if (!installed.ok) throw new Error(installed.error.message);
      const removed = removeHooks(installed.value, gemini);
      // White space beside a comment may go with ours; nothing else may.
      expect(removed.ok && withoutSpace(removed.value)).toBe(withoutSpace(text));
      expect(removed.ok && findHooks(removed.value, gemini)).toEqual({ ok: true, value: [] });
    }),
    { numRuns: 150 },
  );
});

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

test("P26 a file of our own, as Copilot reads it, is blank again, and what a person added to it stays", () => {
  const { form } = CLIENT_SETTINGS.copilot.files[0];
  const { entries: wanted } = CLIENT_SETTINGS.copilot.plan([1, 0, 102], command.replace("claude-code", "copilot"));
  const installed = form.set(form.blank, wanted);
  if (!installed.ok) throw new Error(installed.error.message);
  expect(JSON.parse(installed.value)).toMatchObject({ version: 1, hooks: { Stop: [{ hooks: [{ timeout: 5 }] }] } });
  expect(form.remove(installed.value)).toEqual({ ok: true, value: form.blank });
  const own = { ...JSON.parse(installed.value), mine: true };
  const removed = form.remove(JSON.stringify(own));
  expect(removed.ok && JSON.parse(removed.value)).toMatchObject({ version: 1, mine: true });
});

/** The file's meaning by JSON.parse alone, without our hooks and the containers that they leave empty. */
function withoutOurs(text: string): unknown {
  const settings = JSON.parse(text.replace(/^\ufeff/, ""));
  if (typeof settings.hooks !== "object" || !Object.hasOwn(settings, "hooks")) return settings;
  for (const [event, groups] of Object.entries(settings.hooks)) {
    if (!Array.isArray(groups)) continue;
    const left = groups.filter((group) => !JSON.stringify(group ?? null).includes("/d/skein/skein-hook"));
    if (left.length === 0) delete settings.hooks[event];
    else settings.hooks[event] = left;
  }
  if (Object.keys(settings.hooks).length === 0) delete settings.hooks;
  return settings;
}

test("the list above is as long as promised", () => {
  expect(Object.keys({ ...kept, ...commented, ...refused }).length).toBeGreaterThanOrEqual(60);
  expect(parseDocument("{}", strict).ok).toBe(true);
});
