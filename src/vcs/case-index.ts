// Names that differ only by case: every file and directory that ever was, by the hash of its name in lower case, some 20 bytes each.
// Built when first asked, and kept up with what comes: the table of names only grows.

import { U32Column } from "../base/columns.ts";
import type { RepoPath } from "../base/ids.ts";
import { RowIndex } from "../base/row-index.ts";
import { ancestors } from "./tree-shape.ts";
import type { VersionTable } from "./version-table.ts";

export class CaseIndex {
  readonly #hashes = new U32Column();
  /** Number of a path that begins with the name, and the name's length. */
  readonly #paths = new U32Column();
  readonly #lengths = new U32Column();
  readonly #index = new RowIndex((row) => this.#hashes.get(row));
  readonly #known = new Set<string>();
  #indexed = 0;

  /**
   * The name of a file or directory of the head that is the path's, or of a directory above it, but for the case of letters; null
   * if there is none. `isLeft` says that a file does not count, since it goes.
   */
  sameButCase(versions: VersionTable, path: RepoPath, isLeft: (file: RepoPath) => boolean): string | null {
    this.#catchUp(versions);
    for (const name of [...ancestors(path), path]) {
      if (name !== path && versions.hasDirectory(name)) continue;
      const folded = name.toLowerCase();
      const hash = hashOf(folded);
      const found = this.#index.find(hash, (row) => {
        const other = this.#name(versions, row);
        return other !== name && other.toLowerCase() === folded && stands(versions, other, isLeft);
      });
      if (found !== -1) return this.#name(versions, found);
    }
    return null;
  }

  #name(versions: VersionTable, row: number): string {
    return versions.names()[this.#paths.get(row)]!.slice(0, this.#lengths.get(row));
  }

  #catchUp(versions: VersionTable): void {
    const names = versions.names();
    for (; this.#indexed < names.length; this.#indexed += 1) {
      const path = names[this.#indexed]!;
      this.#add(path);
      for (const directory of [...ancestors(path)].reverse()) {
        // Those above it came with it.
        if (this.#known.has(directory)) break;
        this.#known.add(directory);
        this.#add(directory);
      }
    }
  }

  #add(name: string): void {
    const hash = hashOf(name.toLowerCase());
    const row = this.#hashes.length;
    this.#hashes.push(hash);
    this.#paths.push(this.#indexed);
    this.#lengths.push(name.length);
    this.#index.add(hash, row);
  }
}

function stands(versions: VersionTable, name: string, isLeft: (file: RepoPath) => boolean): boolean {
  if (versions.hasDirectory(name)) return true;
  // The name of a path that was, or of a directory: asked as a path.
  const path = name as RepoPath;
  const row = versions.head(path);
  return row !== -1 && !versions.isDeleted(row) && !isLeft(path);
}

/** FNV-1a (draft-eastlake-fnv) over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
