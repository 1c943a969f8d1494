// Where ripgrep is: the package ships a binary for each platform.

/** A program file; where the platform's package was not installed, the name to look for in PATH, which may not be there either. */
export async function ripgrepPath(): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    // It throws as it loads. A search then fails as a fault of the environment; all else works.
    return "rg";
  }
}
