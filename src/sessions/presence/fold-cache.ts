// What readers knew of a repository's sessions when somebody last looked at all of them: `presence/<repository>/.folds.json`, replaced whole
// by whoever reads much anew. Invariant: only a cache. An entry counts while its session's file has the size and change time that it had.

import type { FileStat } from "../../host/files.ts";
import type { Fold } from "./fold.ts";
import { foldVersion } from "./fold.ts";
import { isFold, isNatural } from "./fold-check.ts";
import type { SessionKey } from "./ids.ts";
import type { SessionFiles } from "./session-file.ts";

export interface KnownFold {
  readonly size: number;
  readonly changedMs: number;
  readonly fold: Fold;
}

const cacheBytesMax = 64 * 1024 * 1024;
/** So many sessions read anew make it worth to write the cache again, or this part of all. */
const renewedMin = 8;
const renewedShareMin = 0.2;

export class FoldCache {
  readonly #files: SessionFiles;
  readonly #path: string;
  readonly #known: ReadonlyMap<string, KnownFold>;
  readonly #now = new Map<SessionKey, KnownFold>();
  #renewed = 0;

  private constructor(files: SessionFiles, path: string, known: ReadonlyMap<string, KnownFold>) {
    this.#files = files;
    this.#path = path;
    this.#known = known;
  }

  static async open(files: SessionFiles, directory: string): Promise<FoldCache> {
    const path = `${directory}/.folds.json`;
    const bytes = await files.read(path, cacheBytesMax);
    return new FoldCache(files, path, bytes.ok ? knownIn(bytes.value) : new Map());
  }

  /** The session's fold, if its file is still the one that it was made from. */
  get(key: SessionKey, stat: FileStat): Fold | null {
    const known = this.#known.get(key);
    if (known === undefined || known.size !== stat.size || known.changedMs !== stat.changedMs) return null;
    // Checked only here: most of a cache may be of no use any more.
    if (!isFold(known.fold)) return null;
    this.#now.set(key, known);
    return known.fold;
  }

  put(key: SessionKey, { size, changedMs }: FileStat, fold: Fold): void {
    this.#now.set(key, { size, changedMs, fold });
    this.#renewed += 1;
  }

  /** Writes what was seen, where that is worth it. `unique` tells this writer from another at the same moment. */
  async save(unique: string): Promise<void> {
    if (this.#renewed < Math.max(renewedMin, this.#now.size * renewedShareMin)) return;
    const text = JSON.stringify({ v: foldVersion, sessions: Object.fromEntries(this.#now) });
    const temporary = `${this.#path}-${unique}`;
    const written = await this.#files.write(temporary, new TextEncoder().encode(text), { private: true });
    const renamed = written.ok ? await this.#files.rename(temporary, this.#path) : written;
    if (!renamed.ok) await this.#files.remove(temporary);
  }
}

function knownIn(bytes: Uint8Array): ReadonlyMap<string, KnownFold> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return new Map();
  }
  if (!isRecord(value) || value.v !== foldVersion || !isRecord(value.sessions)) return new Map();
  return new Map(Object.entries(value.sessions).filter((entry): entry is [string, KnownFold] => isKnownFold(entry[1])));
}

/** The fold itself is looked at when it is asked for. */
function isKnownFold(value: unknown): boolean {
  return isRecord(value) && isNatural(value.size) && typeof value.changedMs === "number" && isRecord(value.fold);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
