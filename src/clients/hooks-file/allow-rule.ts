// Our rule among a client's permissions, so that the tools of our server run without a question: { "permissions": { "allow": [ … ] } }.
// Invariant: every other byte stays.

import type { Node } from "jsonc-parser";
import { ok, type Result } from "../../base/result.ts";
import { type Dialect, parseDocument, property, refuse, type SettingsError, valueNode } from "./document.ts";
import { putInto, styleOf, takeWithOwnContainers } from "./splice.ts";

const outerName = "permissions";
const listName = "allow";

export function setAllowRule(text: string, rule: string, dialect: Dialect): Result<string, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const { root } = document.value;
  const style = styleOf(document.value);
  const outer = memberOf(root, outerName, "object");
  if (!outer.ok) return outer;
  if (outer.value === null)
    return ok(putInto(text, root, { key: outerName, value: { [listName]: [rule] }, ownLevels: 2 }, style));
  const list = memberOf(outer.value, listName, "array");
  if (!list.ok) return list;
  if (list.value === null) return ok(putInto(text, outer.value, { key: listName, value: [rule], ownLevels: 1 }, style));
  if (placeIn(list.value, rule) >= 0) return ok(text);
  return ok(putInto(text, list.value, { key: null, value: rule, ownLevels: 0 }, style));
}

export function removeAllowRule(text: string, rule: string, dialect: Dialect): Result<string, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const outer = memberOf(document.value.root, outerName, "object");
  const list = outer.ok && outer.value !== null ? memberOf(outer.value, listName, "array") : outer;
  // What is in another form holds no rule of ours.
  if (!list.ok || list.value === null) return ok(text);
  const index = placeIn(list.value, rule);
  return ok(index < 0 ? text : takeWithOwnContainers(text, list.value, index));
}

function placeIn(list: Node, rule: string): number {
  return (list.children ?? []).findIndex(({ value }) => value === rule);
}

function memberOf(node: Node, key: string, type: "object" | "array"): Result<Node | null, SettingsError> {
  const found = property(node, key);
  if (!found.ok) return found;
  const value = found.value === null ? null : valueNode(found.value);
  if (value === null) return ok(null);
  return value.type === type
    ? ok(value)
    : refuse("shape", `"${key}" in it is not ${type === "array" ? "a list" : "an object"}`);
}
