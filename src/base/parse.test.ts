// The parsers: what each accepts, and that a refusal names the place and what was wanted.

import { expect, test } from "vitest";
import {
  bytes,
  either,
  flag,
  list,
  natural,
  nullable,
  object,
  oneOf,
  type Parser,
  parse,
  real,
  record,
  sparse,
  text,
  union,
} from "./parse.ts";

function read<T>(parser: Parser<T>, value: unknown): unknown {
  const parsed = parse(parser, value, "value");
  return parsed.ok ? parsed.value : parsed.error.message;
}

const blob = Uint8Array.of(1, 2, 3);

test.each<[string, Parser<unknown>, readonly unknown[], readonly unknown[], string]>([
  ["text", text(3), ["", "abc"], ["abcd", 1, null, undefined, ["a"]], "a string of at most 3 characters"],
  ["natural", natural(), [0, 2 ** 53 - 1], [-1, 1.5, 2 ** 53, Number.NaN, "1", 1n], "a whole number from 0"],
  ["real", real, [-1.5, 0], [Number.NaN, Number.POSITIVE_INFINITY, "1"], "a finite number"],
  ["flag", flag, [true, false], [0, "true", null], "a boolean"],
  ["bytes", bytes(3), [blob, new Uint8Array()], [new Uint8Array(4), [1], "abc"], "at most 3 bytes"],
  ["oneOf", oneOf<string | number>("a", 0), ["a", 0], ["b", false, null, undefined], "a | 0"],
  ["nullable", nullable(flag), [null, true], [undefined, 0], "a boolean"],
  ["either", either(flag, natural()), [true, 7], ["7", -1], "a whole number from 0"],
  ["record", record(natural(), 2), [{}, { a: 1, b: 2 }], [[1], null, "a"], "an object"],
  ["list", list(natural(), 2), [[], [1, 2]], [[1, 2, 3], { length: 0 }, "ab"], "a list of at most 2"],
])(
  "%s accepts its values unchanged and names what it wanted instead of others",
  (_, parser, accepted, refused, wanted) => {
    expect(accepted.map((value) => read(parser, value))).toEqual(accepted);
    expect(refused.map((value) => read(parser, value))).toEqual(refused.map(() => `value: expected ${wanted}`));
  },
);

test("an object has the fields it names, drops others, and says where one is wrong", () => {
  const parser = object({ name: text(9), inner: object({ list: list(natural(), 9) }) });
  expect([
    read(parser, { name: "a", inner: { list: [1], more: 1 }, more: 2 }),
    read(parser, { name: "a", inner: { list: [1, -1] } }),
    read(parser, { inner: { list: [] } }),
    ...[null, [], "a", blob].map((value) => read(parser, value)),
  ]).toEqual([
    { name: "a", inner: { list: [1] } },
    "value.inner.list[1]: expected a whole number from 0",
    "value.name: expected a string of at most 9 characters",
    ...Array(4).fill("value: expected an object"),
  ]);
});

test("a union is told apart by its kind, and only by its own kinds", () => {
  const parser = union({ one: object({ n: natural() }), two: object({}) });
  const wrong = "value.kind: expected one | two";
  expect([
    read(parser, { kind: "one", n: 1, x: 1 }),
    read(parser, { kind: "two", n: 1 }),
    read(parser, { kind: "one", n: "1" }),
    ...[{ kind: "three" }, { kind: "toString" }, { kind: "__proto__" }, {}, null, [], 1].map((value) =>
      read(parser, value),
    ),
  ]).toEqual([
    { kind: "one", n: 1 },
    { kind: "two" },
    "value.n: expected a whole number from 0",
    ...Array(7).fill(wrong),
  ]);
});

test("what a parser throws by itself is a bug and is not taken for a refusal", () => {
  const broken: Parser<never> = () => {
    throw new TypeError("bug");
  };
  expect(() => parse(broken, 1, "value")).toThrow("bug");
  expect(() => parse(either(broken, flag), 1, "value")).toThrow("bug");
});

test("a map with too many fields, or a wrong value, is refused with its place", () => {
  const parser = record(natural(), 1);
  expect([read(parser, { a: 1, b: 2 }), read(parser, { a: -1 })]).toEqual([
    "value: expected an object of at most 1 fields",
    "value.a: expected a whole number from 0",
  ]);
});

test("of a sparse object what is missing is null, what is there is checked, and others are dropped", () => {
  const parser = sparse({ a: natural(), b: text(3) });
  expect(
    [{}, { a: 1, c: 2 }, { a: null, b: "x" }, { a: -1 }, [], { __proto__: { a: 1 } }].map((value) =>
      read(parser, value),
    ),
  ).toEqual([
    { a: null, b: null },
    { a: 1, b: null },
    { a: null, b: "x" },
    "value.a: expected a whole number from 0",
    "value: expected an object",
    { a: null, b: null },
  ]);
});
