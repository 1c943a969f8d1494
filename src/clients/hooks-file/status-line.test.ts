// The status line in odd settings: put in, taken out again byte for byte, another's left alone.

import { expect, test } from "vitest";
import { statusCommand } from "../launcher-command.ts";
import { claudeForm, setStrictStatusLine } from "./json-form.ts";

const command = statusCommand("/home/u/.local/share/skein/skein-hook");
const texts = ["{}\n", "{}", "{ }", '{"a":1}', '{\n\t"a": [ ],\r\n\t"b": {}\n}\n', '\ufeff{"hooks": {}, "x": 2}\n'];

test.each(texts)("P26 %j", (text) => {
  const put = setStrictStatusLine(text, command);
  if (!put.ok) throw new Error(put.error.message);
  expect(JSON.parse(put.value.replace(/^\ufeff/, "")).statusLine).toEqual({ type: "command", command });
  expect(setStrictStatusLine(put.value, command)).toEqual(put);
  expect(claudeForm.remove(put.value)).toEqual({ ok: true, value: text });
});

test("P26 P27 another's status line is neither replaced nor removed, and one of an older place of ours is", () => {
  const others = '{"statusLine": {"type": "command", "command": "date"}}';
  const older = setStrictStatusLine("{}", statusCommand("/old/skein/skein-hook"));
  expect([setStrictStatusLine(others, command).ok, claudeForm.remove(others)]).toEqual([
    false,
    { ok: true, value: others },
  ]);
  expect(older.ok && setStrictStatusLine(older.value, command)).toEqual(setStrictStatusLine("{}", command));
});
