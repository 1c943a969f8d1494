// Small contents on the socket: a part is a msgpack list of `[index of the id that was asked for, bytes]`.

import { list, natural, type Parser, parse } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import { packValue, unpackBody } from "./frame.ts";
import { contentsAnAskMax } from "./messages.ts";

export type ContentRow = readonly [index: number, bytes: Uint8Array];

const index = natural();
const row: Parser<ContentRow> = (value, at) => {
  const [first, bytes] = list((cell: unknown) => cell, 2)(value, at);
  // Nothing but bytes hashes to an id: whoever gets them checks that.
  return [index(first, at), bytes instanceof Uint8Array ? bytes : new Uint8Array()];
};
const rows = list(row, contentsAnAskMax);

export function packContentsPart(part: readonly ContentRow[]): Buffer {
  return packValue(part);
}

/** The server is ours and of this protocol: what cannot be read is a bug and throws. */
export function contentsPart(body: Uint8Array): readonly ContentRow[] {
  const value = unwrap(unpackBody(body), "a part of contents");
  return unwrap(parse(rows, value, "contents"), "a part of contents");
}
