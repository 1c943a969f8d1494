import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../bin/calc.js", import.meta.url));

function calc(args, input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the arguments are one expression", () => {
  assert.deepEqual(calc(["1 + 2", "* 3"]), { status: 0, stdout: "7\n", stderr: "" });
});

test("the examples of SPEC.md section 7", () => {
  const spec = readFileSync(new URL("../SPEC.md", import.meta.url), "utf8").split("## 7.")[1];
  const examples = [...spec.matchAll(/^\| `(.+)` *\| `(.+)` *\|$/gm)];
  const column = (index) => examples.map((example) => `${example[index]}\n`).join("");
  assert.deepEqual(calc([], column(1)), { status: 0, stdout: column(2), stderr: "" });
});

test("operators, signs and functions together", () => {
  const input =
    "-2 ^ 2\n2 ^ -1\n10 % 4 * 3\n2 * 3 % 4\nmax(1, min(5, 3)) - abs(-2)\nfloor(pi) + ceil(e)\nsum(1, 2, 3) ^ 2\n";
  assert.deepEqual(calc([], input), { status: 0, stdout: "-4\n0.5\n6\n2\n1\n6\n36\n", stderr: "" });
});

test("blank lines are skipped, and an error does not stop the next line", () => {
  assert.deepEqual(calc([], "1 + )\n\n  \r\n2 * 2\r\n"), {
    status: 1,
    stdout: "4\n",
    stderr: 'calc: unexpected ")" at column 5\n',
  });
});

test("a value that is not a finite number is an error, also in the middle", () => {
  for (const expression of ["1 / 0", "1 / (1 / 0)", "sqrt(-1)", "10 ^ 999", "5 % 0"]) {
    const { status, stdout, stderr } = calc([expression]);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: "" }, expression);
    assert.match(stderr, /^calc: .*not a finite number at column \d+\n$/);
  }
});

test("--help says how it is used", () => {
  const { status, stdout } = calc(["--help"]);
  assert.equal(status, 0);
  assert.match(stdout, /usage: calc/i);
});
