// One part of a listed snapshot, as the server packs it and the client reads it: a msgpack array of `[path, mode, blob]`.

import type { BlobId, RepoPath } from "../../base/ids.ts";
import { list, oneOf, type Parser, parse, text } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import type { Entry } from "../../vcs/types.ts";
import { packValue, unpackBody } from "./frame.ts";

export const entriesAPart = 1_000;

export type ListRow = readonly [path: RepoPath, mode: Entry["mode"], blob: BlobId];

const path = text<RepoPath>(4_096);
const mode = oneOf("100644", "100755", "120000", "160000");
const blob = text<BlobId>(64);
const row: Parser<Entry & { readonly path: RepoPath }> = (value, at) => {
  const [first, second, third] = list((cell: unknown) => cell, 3)(value, at);
  return { path: path(first, at), mode: mode(second, at), blob: blob(third, at) };
};
const rows = list(row, entriesAPart);

export function packListPart(part: readonly ListRow[]): Buffer {
  return packValue(part);
}

/** The server is ours and of this protocol: what cannot be read is a bug and throws. */
export function listPart(body: Uint8Array): readonly (Entry & { readonly path: RepoPath })[] {
  const value = unwrap(unpackBody(body), "a part of a list");
  return unwrap(parse(rows, value, "list"), "a part of a list");
}
