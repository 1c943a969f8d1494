// What readers knew of a repository's sessions when somebody last looked at all of them: `presence/<repository>/.folds.json`, replaced whole
// by whoever reads much anew. Invariant: only a cache. An entry counts while its session's file has the size and change time that it had.

import type { FileStat } from "../../host/files.ts";
import type { Fold, Touch } from "./fold.ts";
import { foldVersion } from "./fold.ts";
import { isFold, isNatural } from "./fold-check.ts";
import type { SessionKey } from "./ids.ts";
import type { SessionFiles } from "./session-file.ts";

interface KnownFold {
  readonly size: number;
  readonly changedMs: number;
  /** As it is in the file: looked at when it is asked for, since most of a cache may be of no use any more. */
  readonly packed: unknown;
}

/** Changes with what is written beside the folds. */
const formVersion = 3;
const version = `${foldVersion}.${formVersion}`;

const cacheBytesMax = 64 * 1024 * 1024;
/** So many sessions read anew make it worth to write the cache again, or this part of all. */
const renewedMin = 8;
const renewedShareMin = 0.2;

export class FoldCache {
  readonly #files: SessionFiles;
  readonly #path: string;
  readonly #known: ReadonlyMap<string, KnownFold>;
  readonly #now = new Map<SessionKey, Pick<KnownFold, "size" | "changedMs"> & { readonly fold: Fold }>();
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

  /** The session's fold, if its file is still the one that it was made from. Asked once for each. */
  get(key: SessionKey, stat: FileStat): Fold | null {
    const known = this.#known.get(key);
    if (known === undefined || known.size !== stat.size || known.changedMs !== stat.changedMs) return null;
    const fold = unpacked(known.packed);
    if (!isFold(fold)) return null;
    this.#now.set(key, { size: known.size, changedMs: known.changedMs, fold });
    return fold;
  }

  put(key: SessionKey, { size, changedMs }: FileStat, fold: Fold): void {
    this.#now.set(key, { size, changedMs, fold });
    this.#renewed += 1;
  }

  /** Writes what was seen, where that is worth it. `unique` tells this writer from another at the same moment. */
  async save(unique: string): Promise<void> {
    if (this.#renewed < Math.max(renewedMin, this.#now.size * renewedShareMin)) return;
    const sessions = [...this.#now].map(([key, { size, changedMs, fold }]): [SessionKey, KnownFold] => [
      key,
      { size, changedMs, packed: packed(fold) },
    ]);
    const text = JSON.stringify({ v: version, sessions: Object.fromEntries(sessions) });
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
  if (!isRecord(value) || value.v !== version || !isRecord(value.sessions)) return new Map();
  return new Map(Object.entries(value.sessions).filter((entry): entry is [string, KnownFold] => isKnownFold(entry[1])));
}

function isKnownFold(value: unknown): boolean {
  return isRecord(value) && isNatural(value.size) && typeof value.changedMs === "number" && isRecord(value.packed);
}

/**
 * Most of a fold is touches, and most touches are a tool's in the session's own worktree: of these their path and time are kept. Times are told
 * from the session's first event on, which makes most of them short.
 */
function packed(fold: Fold): object {
  const { firstAt } = fold;
  return {
    ...fold,
    files: fold.files.flatMap<string | number | Touch | null>((touch) => packedTouch(touch, firstAt)),
    pastCalls: fold.pastCalls.flatMap(({ from, to }) => [from - firstAt, to - from]),
  };
}

function packedTouch(touch: Touch, firstAt: number): (string | number | Touch | null)[] {
  const { path, worktree, how, from, at } = touch;
  return worktree === null && how === "tool" && from === at ? [path, at - firstAt] : [touch, null];
}

/** In its place, since nobody else has it; whether it is a fold then is for others to say. */
function unpacked(value: unknown): unknown {
  if (!isRecord(value)) return null;
  const { firstAt, files, pastCalls } = value;
  if (typeof firstAt !== "number" || !Array.isArray(files) || !isNumbers(pastCalls)) return null;
  const touches: unknown[] = [];
  for (let index = 0; index < files.length; index += 2) {
    const after: unknown = files[index + 1];
    const at = typeof after === "number" ? firstAt + after : null;
    touches.push(at === null ? files[index] : { path: files[index], worktree: null, how: "tool", from: at, at });
  }
  const calls: Fold["pastCalls"][number][] = [];
  for (let index = 0; index < pastCalls.length; index += 2) {
    const from = firstAt + (pastCalls[index] ?? 0);
    calls.push({ from, to: from + (pastCalls[index + 1] ?? 0) });
  }
  return Object.assign(value, { files: touches, pastCalls: calls });
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
