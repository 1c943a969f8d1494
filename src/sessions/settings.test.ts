// The few settings of sessions as a hook takes them: what is missing or wrong has its default, since a hook can tell nobody.

import { expect, test } from "vitest";
import { defaultSettings, presenceSettings } from "./settings.ts";

test.each([
  [null, defaultSettings],
  ["", defaultSettings],
  ["{ no json", defaultSettings],
  ["[]", defaultSettings],
  ['{"sessions": 7}', defaultSettings],
  ['{"model": "x", "sessions": {}}', defaultSettings],
  ['\ufeff{"sessions": {"intentFromPrompts": false}}', { ...defaultSettings, intentFromPrompts: false }],
  ['{"sessions": {"intentFromPrompts": "no", "blockChars": 2000}}', { ...defaultSettings, blockCharsMax: 2_000 }],
  ['{"sessions": {"blockChars": 1}}', { ...defaultSettings, blockCharsMax: 300 }],
  ['{"sessions": {"blockChars": 1000000}}', { ...defaultSettings, blockCharsMax: 8_000 }],
])("%j", (text, expected) => {
  expect(presenceSettings(text)).toEqual(expected);
});

test("the block at a start has 1,500 characters by default, and prompts say what a session is for", () => {
  expect(defaultSettings).toEqual({ intentFromPrompts: true, blockCharsMax: 1_500 });
});
