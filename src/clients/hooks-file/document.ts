// A client's settings file as text with a syntax tree over it. Invariant: what is edited is one object in strict form, without a key that
// stands twice where we look, so that the file means to the client what it means to us.

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { err, ok, type Result } from "../../base/result.ts";

export interface SettingsError {
  readonly kind: "settings";
  /** `malformed` is not the client's syntax, `shape` has hooks in a form that the client does not read. */
  readonly code: "malformed" | "shape";
  readonly message: string;
}

export interface Dialect {
  /** Whether the client's own reader takes comments. */
  readonly comments: boolean;
  /** Whether it takes a comma at the end; where that is not said, as comments. */
  readonly trailingCommas?: boolean;
}

export interface Document {
  readonly text: string;
  readonly root: Node;
}

const bytesMax = 4 * 1024 * 1024;
/** Hooks lie four levels deep. */
const depthMax = 200;

/** UTF-8 only; a byte order mark stays in the text as its first character. */
export function decode(bytes: Uint8Array): Result<string, SettingsError> {
  if (bytes.byteLength > bytesMax) return refuse("malformed", `it has more than ${bytesMax} bytes`);
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return refuse("malformed", "it is not UTF-8 text");
  }
}

export function parseDocument(
  text: string,
  { comments, trailingCommas = comments }: Dialect,
): Result<Document, SettingsError> {
  const bom = text.startsWith("\ufeff") ? 1 : 0;
  if (text.slice(bom).trim() === "")
    return refuse("malformed", "it is empty, which is no JSON: put {} into it, or remove it");
  if (depthOf(text) > depthMax) return refuse("malformed", `it is nested more than ${depthMax} levels deep`);
  const errors: ParseError[] = [];
  // A space in place of the mark keeps all offsets.
  const parsable = bom === 1 ? ` ${text.slice(1)}` : text;
  const root = parseTree(parsable, errors, {
    disallowComments: !comments,
    allowTrailingComma: trailingCommas,
    allowEmptyContent: false,
  });
  const [first] = errors;
  if (first !== undefined)
    return refuse("malformed", `${printParseErrorCode(first.error)} at ${place(text, first.offset)}`);
  if (!comments) {
    const strict = strictFault(parsable);
    if (strict !== null) return refuse("malformed", strict);
  }
  if (root?.type !== "object") return refuse("shape", "its outermost value is not an object");
  return ok({ text, root });
}

/** The value of a key; `shape` where the key stands twice, since readers differ in which one they take. */
export function property(object: Node, key: string): Result<Node | null, SettingsError> {
  const found = (object.children ?? []).filter((child) => child.children?.[0]?.value === key);
  if (found.length > 1) return refuse("shape", `${JSON.stringify(key)} stands in it ${found.length} times`);
  return ok(found[0] ?? null);
}

export function valueNode(property: Node): Node | null {
  return property.children?.[1] ?? null;
}

export function refuse(code: SettingsError["code"], message: string): Result<never, SettingsError> {
  return err({ kind: "settings", code, message });
}

/** `line 3, column 14`, from 1. */
export function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

/** What the tree's parser lets pass and JSON does not, such as a control character in a string. */
function strictFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Counted without recursion: the parser itself would overflow the stack. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|[[\]{}]/g;
