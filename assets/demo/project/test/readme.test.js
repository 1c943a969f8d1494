import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("the usage section shows the examples of SPEC.md section 7", () => {
  const examples = [...section("SPEC.md", "7. Examples").matchAll(/^\| `(.+)` *\| `(.+)` *\|$/gm)];
  const shown = [...section("README.md", "Usage").matchAll(/^\$ calc '(.+)'\n(.+)$/gm)];
  const pairs = (matches) => matches.map(([, expression, value]) => ({ expression, value }));
  assert.ok(examples.length > 0);
  assert.deepEqual(pairs(shown), pairs(examples));
});

test("the usage section says what happens without arguments and after an error", () => {
  assert.match(section("README.md", "Usage"), /standard input/);
  assert.match(section("README.md", "Usage"), /exit status/);
});

/** The text of a file from a second-level heading to the next one; empty where there is none. */
function section(file, heading) {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const found = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  return found ?? "";
}
