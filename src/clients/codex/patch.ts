// The paths in a patch of Codex's `apply_patch`: its file headers, read from the left margin only, so that a patch about a patch names no
// file of the inner one.

/** More files than this in one patch are not told one by one. */
const pathsMax = 1_000;

/**
 * Each path once, both names of a rename, in the patch's order. The format is described at
 * https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md
 */
export function patchedPaths(patch: string): readonly string[] {
  const paths = new Set<string>();
  for (const line of patch.split(/\r?\n/)) {
    const path = HEADER.exec(line)?.[1]?.trim();
    if (path !== undefined && path !== "") paths.add(path);
    if (paths.size === pathsMax) break;
  }
  return [...paths];
}

const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$/;
