// Where ripgrep is: its package has one of its own for each platform, with the program in it. It is found as the package finds it, without
// loading that: an ES module of a package costs a run's start more than all of what it says.

import { createRequire } from "node:module";

/** A program file; where the platform's package was not installed, the name to look for in PATH, which may not be there either. */
export function ripgrepPath(): string {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    const beside = createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep"));
    return beside.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`);
  } catch {
    // A search then fails as a fault of the environment; all else works.
    return "rg";
  }
}
