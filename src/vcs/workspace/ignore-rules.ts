// Which untracked paths are ignored: git's rules over nested .gitignore files and the texts from outside the tree.
// Invariant: the deepest file with an opinion decides, in it the last matching line; callers do not look below an ignored directory.

import { type IgnorePattern, parseIgnoreLine } from "./ignore-pattern.ts";

/** Rules as they hold in one directory. */
export interface IgnoreRules {
  /** Rules for a directory below, given its own ignore file's bytes or null. */
  enter(directory: string, ignoreFile: Uint8Array | null): IgnoreRules;
  /** `path` lies directly in this directory; relative to the tree's root. */
  ignores(path: string, kind: "file" | "directory" | "symlink"): boolean;
}

interface Source {
  /** Bytes of the directory's path as latin1, with a trailing slash; empty at the root. */
  readonly prefix: string;
  readonly patterns: readonly IgnorePattern[];
}

/** Rules at the root. `texts` come in rising precedence and all below any .gitignore file. */
export function ignoreRules(texts: readonly string[], rootIgnoreFile: Uint8Array | null): IgnoreRules {
  const outer = texts.map((text) => source("", Buffer.from(text)));
  return rules(rootIgnoreFile === null ? outer : [...outer, source("", rootIgnoreFile)]);
}

function rules(sources: readonly Source[]): IgnoreRules {
  return {
    enter: (directory, ignoreFile) =>
      ignoreFile === null ? rules(sources) : rules([...sources, source(`${directory}/`, ignoreFile)]),
    ignores(path, kind) {
      const bytes = latin1(path);
      // Stricter than git, which does not apply `node_modules/` to a symlink: a link into someone's cache is no work either.
      if (kind === "symlink") return verdict(sources, bytes, false) || verdict(sources, bytes, true);
      return verdict(sources, bytes, kind === "directory");
    },
  };
}

function verdict(sources: readonly Source[], path: string, isDirectory: boolean): boolean {
  for (const { prefix, patterns } of sources.toReversed()) {
    const relative = path.slice(prefix.length);
    for (const pattern of patterns) {
      if (pattern.directoryOnly && !isDirectory) continue;
      if (pattern.matches(relative)) return !pattern.negative;
    }
  }
  return false;
}

/** Patterns in the order of their say: last line first. */
function source(directory: string, bytes: Uint8Array): Source {
  const text = Buffer.from(bytes).toString("latin1");
  const lines = (text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text).split("\n");
  const patterns = lines.map((line) => parseIgnoreLine(line.replace(/\r$/, ""))).filter((pattern) => pattern !== null);
  return { prefix: latin1(directory), patterns: patterns.reverse() };
}

function latin1(path: string): string {
  return Buffer.from(path).toString("latin1");
}
