// Whether the bundle in dist was made from the sources as they are now.
// Times and sizes are compared for equality, not for age: a checkout of older files or a deletion also counts as a change.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const STAMP = ".sources";

export function bundleIsCurrent(root) {
  try {
    return readFileSync(join(root, "dist", STAMP), "utf8") === sourcesStamp(root);
  } catch {
    return false;
  }
}

/** A hash over name, size and time of every file that goes into the bundle. */
export function sourcesStamp(root) {
  const hash = createHash("sha256");
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  for (const path of ["package.json", "package-lock.json", "scripts/build.ts"]) add(path);
  for (const path of sourceFiles(root, "src")) add(path);
  return hash.digest("hex");
}

function sourceFiles(root, folder) {
  const found = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path !== "src/testing") found.push(...sourceFiles(root, path));
    } else if (!entry.name.endsWith(".test.ts")) {
      found.push(path);
    }
  }
  return found.sort();
}
