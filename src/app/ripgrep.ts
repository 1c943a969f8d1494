// Where ripgrep is: the package ships a binary for each platform.

export async function ripgrepPath(): Promise<string> {
  const { rgPath } = await import("@vscode/ripgrep");
  return rgPath;
}
