// JSON that a terminal can show and a program reads as it was.

import { expect, test } from "vitest";
import { jsonLine } from "./json.ts";

test("nothing is lost, and nothing but printable characters and letters of any script stand in it", () => {
  const value = { text: "a\u001b[2J\u007f\u009b31m\u202e\u2028é日\n" };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).toBe('{"text":"a\\u001b[2J\\u007f\\u009b31m\\u202e\\u2028é日\\n"}');
});
