// Task scopes: which paths a list of globs holds.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { parseRepoPath } from "./path.ts";
import { inScope, outsideArea } from "./scope.ts";

const matched = (scope: readonly string[], paths: readonly string[]): readonly string[] =>
  paths.filter((text) => inScope(scope, unwrap(parseRepoPath(text), text)));

test("a star stays in one part, two cross parts, both match dot files", () => {
  const paths = ["a.js", ".b.js", "src/a.js", "src/.c/a.js", "src/x/y.ts"];
  expect([
    matched(["*.js"], paths),
    matched(["src/**"], paths),
    matched(["**/*.js"], paths),
    matched(["src/*"], paths),
  ]).toEqual([
    ["a.js", ".b.js"],
    ["src/a.js", "src/.c/a.js", "src/x/y.ts"],
    ["a.js", ".b.js", "src/a.js", "src/.c/a.js"],
    ["src/a.js"],
  ]);
});

test("a name is a file or a directory with all below it", () => {
  const paths = ["src", "src/a", "src/b/c", "srcs/a"];
  expect([
    matched(["src"], paths.slice(1)),
    matched(["./src/"], paths.slice(1)),
    matched(["src/a"], paths),
    matched(["s*/"], paths),
  ]).toEqual([["src/a", "src/b/c"], ["src/a", "src/b/c"], ["src/a"], ["src", "src/a", "src/b/c", "srcs/a"]]);
});

test("names that look like globs", () => {
  const paths = ["app/[id]/page.tsx", "app/i/page.tsx", "app/(shop)/x/y.ts", "app/shop/x/y.ts"];
  expect([
    matched(["app/[id]/page.tsx"], paths),
    matched(["app/[id]/*"], paths),
    matched(["app/(shop)/**"], paths),
  ]).toEqual([["app/[id]/page.tsx", "app/i/page.tsx"], ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/(shop)/x/y.ts"]]);
});

test("exclusions win wherever they stand; braces and several items add up", () => {
  const paths = ["a/x.ts", "a/x.test.ts", "b/y.ts", "c/z.ts"];
  expect([matched(["!**/*.test.ts", "{a,b}/**"], paths), matched(["a", "c"], paths), matched(["!a"], paths)]).toEqual([
    ["a/x.ts", "b/y.ts"],
    ["a/x.ts", "a/x.test.ts", "c/z.ts"],
    [],
  ]);
});

test("an empty scope holds nothing, the root and two stars everything", () => {
  const paths = ["a", ".b/c"];
  expect([[], [""], ["."], ["./"], ["**"]].map((scope) => matched(scope, paths))).toEqual([
    [],
    [],
    paths,
    paths,
    paths,
  ]);
});

test("what of a scope lies outside an area: by what it may match, not by its letters", () => {
  const known = ["src/a.ts", "src/lib/b.ts"].map((text) => unwrap(parseRepoPath(text), text));
  const cases: readonly (readonly [area: string, item: string, outside: string | null])[] = [
    ["src/**", "src/**", null],
    ["src", "src/**", null],
    ["src/", "src/new/*.ts", null],
    ["src/**", "src", null],
    ["**/*.ts", "src/**/*.ts", null],
    ["src/*.ts", "src/?.ts", null],
    ["app/[id]/page.tsx", "app/[id]/page.tsx", null],
    ["src/lib", "src/lib/", null],
    // Two stars cross parts, one does not.
    ["new/*", "new/**", "new/**"],
    ["new/*.ts", "new/**/*.ts", "new/**/*.ts"],
    ["src/lib/**", "src/**", "src/a.ts"],
    ["src/**", "**/*.ts", "**/*.ts"],
    ["src/**", "srcs/a.ts", "srcs/a.ts"],
    ["src/**", ".", "."],
    ["src/a*.ts", "src/*.ts", "src/*.ts"],
    ["src/**", "{src,test}/*.ts", "{src,test}/*.ts"],
  ];
  expect(cases.map(([area, item]) => [area, item, outsideArea([item], [area], known)])).toEqual(cases);
});
