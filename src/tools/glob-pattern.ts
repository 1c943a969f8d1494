// What a glob pattern matches: pure. `*` stays inside a directory, `**` does not; a pattern without a slash names files anywhere.

import picomatch from "picomatch";
import { err, ok, type Result } from "../base/result.ts";

const patternCharsMax = 1_000;

/** A test for `/`-separated relative paths, or a sentence on what is wrong with the pattern. */
export function globPattern(given: string): Result<(path: string) => boolean, string> {
  const pattern = given.replace(/^(?:\.\/|\/)+/, "").replace(/\/$/, "/**");
  if (pattern === "") return err("the glob pattern is empty");
  if (pattern.length > patternCharsMax) return err(`the glob pattern is longer than ${patternCharsMax} characters`);
  if (pattern.split("/").includes(".."))
    return err(`"${given}": a pattern with ".." is not accepted; set path to the directory to look in`);
  try {
    return ok(picomatch(pattern, { dot: true, strictBrackets: true, basename: !pattern.includes("/") }));
  } catch (thrown) {
    return err(`"${given}" is not a valid glob pattern: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
