// What forms of a child's last words are told apart.

import { expect, test } from "vitest";
import { formOf } from "./result-form.ts";

test.each([
  [
    "bare-value",
    ["2750", "auth=2750", "`auth=2750`\n", "TIMEOUT_MS: 2750 ms", '"yes"', "**4200**", "src/auth/index.js"],
  ],
  ["list", ["- a\n- b", "auth=2750\nbilling=4200", "1. first\n2. second\n", "* one thing that is long\n\n* another"]],
  ["report", ["The default is 2750.", "# Found\n\nauth=2750", "- only one item", "auth=2750\nIt stands in src/.", ""]],
])("%s", (form, texts) => {
  expect(texts.map(formOf)).toEqual(texts.map(() => form));
});
