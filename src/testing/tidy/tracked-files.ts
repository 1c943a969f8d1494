// Reads the files of the repository that git tracks or would track, so that a new file is judged before it is added.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TrackedFile } from "./finding.ts";

const LISTING_BYTES_MAX = 64 * 1024 * 1024;

export function trackedFiles(root: string): TrackedFile[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listing = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: LISTING_BYTES_MAX });
  return listing
    .split("\0")
    .filter((path) => path !== "")
    .flatMap((path) => {
      const text = readText(join(root, path));
      return text === undefined ? [] : [{ path, text }];
    });
}

/** Undefined for what has no text: a file deleted but not yet committed so, a link to a folder, a picture. */
function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.includes(0) ? undefined : bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
