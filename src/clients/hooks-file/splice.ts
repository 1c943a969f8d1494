// Puts one child into an object or array and takes it out again. Invariant: taking out what was put in gives the text before, byte for
// byte: where the container was empty or is ours, the white space around its only child tells which of the two it was.

import type { Node } from "jsonc-parser";
import type { Document } from "./document.ts";

export interface Style {
  /** Null in a file of one line: everything stays on it. */
  readonly eol: string | null;
  readonly unit: string;
}

/** What is put in: a value of an array, or a property where it has a key. */
export interface Child {
  readonly key: string | null;
  readonly value: unknown;
  /** How many levels of containers in the value, from its outside, are to go when their last child does. */
  readonly ownLevels: number;
}

export function styleOf({ text, root }: Document): Style {
  const newline = /\r?\n/.exec(text)?.[0] ?? null;
  const first = root.children?.[0];
  // One line, and something on it; an empty object gets the usual form.
  if (newline === null && first !== undefined) return { eol: null, unit: "" };
  const indent = first === undefined ? null : indentBefore(text, first.offset);
  return { eol: newline ?? "\n", unit: indent === null || indent === "" || indent.length > 8 ? "  " : indent };
}

/** The new text. The child becomes the container's last. */
export function putInto(text: string, container: Node, child: Child, style: Style): string {
  const last = container.children?.at(-1);
  return last === undefined ? putIntoEmpty(text, container, child, style) : putAfter(text, last, child, style);
}

/** The new text; `emptied` is the container that was ours and is to go too. */
export function takeOut(
  text: string,
  container: Node,
  index: number,
): { readonly text: string; readonly emptied: boolean } {
  const children = container.children ?? [];
  const child = children[index];
  if (child === undefined) return { text, emptied: false };
  const previous = children[index - 1];
  const next = children[index + 1];
  if (previous !== undefined)
    return { text: cut(text, endOf(previous), child.offset, endOf(child), "before"), emptied: false };
  if (next !== undefined) return { text: cut(text, endOf(child), child.offset, next.offset, "after"), emptied: false };
  return takeOnly(text, container, child);
}

/** Takes the child out, and with it the containers around it that were made for it. */
export function takeWithOwnContainers(text: string, container: Node, index: number): string {
  const taken = takeOut(text, container, index);
  const holder = container.parent;
  const outer = holder?.parent;
  if (!taken.emptied || holder === undefined || outer === undefined) return taken.text;
  return takeWithOwnContainers(text, outer, (outer.children ?? []).indexOf(holder));
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

function putAfter(text: string, last: Node, child: Child, style: Style): string {
  const at = endOf(last);
  const indent = style.eol === null ? null : indentBefore(text, last.offset);
  // Where its neighbours share a line, it joins them.
  const put =
    style.eol === null || indent === null
      ? `,${style.eol === null ? "" : " "}${render(child, { eol: null, unit: "" }, "")}`
      : `,${style.eol}${indent}${render(child, style, indent)}`;
  return text.slice(0, at) + put + text.slice(at);
}

function putIntoEmpty(text: string, container: Node, child: Child, style: Style): string {
  const [start, end] = [container.offset + 1, endOf(container) - 1];
  const inner = text.slice(start, end);
  // What is inside stays before the child, and nothing comes after it: the sign of a container that was there.
  if (inner !== "" || style.eol === null)
    return text.slice(0, end) + render(child, { eol: null, unit: "" }, "") + text.slice(end);
  const outer = lineIndent(text, container.offset);
  const indent = outer + style.unit;
  // A space at the line's end is the other sign; the outermost object needs none, since it is never taken away.
  const sign = container.parent === undefined ? "" : " ";
  return `${text.slice(0, start)}${sign}${style.eol}${indent}${render(child, style, indent)}${style.eol}${outer}${text.slice(end)}`;
}

function takeOnly(text: string, container: Node, child: Node): { readonly text: string; readonly emptied: boolean } {
  const [start, end] = [container.offset + 1, endOf(container) - 1];
  const before = text.slice(start, child.offset);
  const after = text.slice(endOf(child), end);
  const empty = { text: text.slice(0, start) + text.slice(end), emptied: false };
  // Comments, or a comma at the end, are somebody's: only the child goes.
  if (`${before}${after}`.trim() !== "") {
    const rest = /^\s*,/.test(after) ? after.replace(",", "") : after;
    return { text: text.slice(0, child.offset) + rest + text.slice(end), emptied: false };
  }
  if (after === "") return { text: text.slice(0, child.offset) + text.slice(end), emptied: false };
  if (container.parent === undefined || /^ \r?\n/.test(before)) return empty;
  return { ...empty, emptied: true };
}

/** Cuts a child with the comma between it and its neighbour; comments in between stay. */
function cut(text: string, from: number, start: number, to: number, side: "before" | "after"): string {
  const between = side === "before" ? text.slice(from, start) : text.slice(from, to);
  if (/^\s*,\s*$/.test(between))
    return side === "before" ? text.slice(0, from) + text.slice(to) : text.slice(0, start) + text.slice(to);
  const kept = withoutComma(between);
  return side === "before"
    ? text.slice(0, from) + kept + text.slice(to)
    : text.slice(0, start) + kept.trimStart() + text.slice(to);
}

/** The comma that separates two children, told from those in comments. */
function withoutComma(between: string): string {
  const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const blank = between.replace(comment, (match) => " ".repeat(match.length));
  const at = blank.indexOf(",");
  return at < 0 ? between : between.slice(0, at) + between.slice(at + 1);
}

function render({ key, value, ownLevels }: Child, { eol, unit }: Style, indent: string): string {
  const name = key === null ? "" : `${JSON.stringify(key)}:`;
  if (eol === null) return name + oneLine(value, ownLevels);
  const lines = JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
  return key === null ? lines : `${name} ${lines}`;
}

/** The space before the last bracket says that the container is ours, as a line's end does in the longer form. */
function oneLine(value: unknown, ownLevels: number): string {
  if (ownLevels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = (child: unknown): string => oneLine(child, ownLevels - 1);
  if (Array.isArray(value)) return `[${value.map(inner).join(",")} ]`;
  const properties = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}:${inner(child)}`);
  return `{${properties.join(",")} }`;
}

/** The white space before `offset` where nothing else stands before it on its line; null otherwise. */
function indentBefore(text: string, offset: number): string | null {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  return start > 0 && /^[ \t]*$/.test(before) ? before : null;
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}
