// Our hooks in a settings file of Claude Code's form: { "hooks": { "<event>": [ { "matcher", "hooks": [ { "type", "command", "timeout" } ] } ] } };
// or, flat, of Cursor's: { "hooks": { "<event>": [ { "command", "timeout", "matcher" } ] } }.
// Invariant: every byte that is not ours stays; what is ours is told by its command alone.

import type { Node } from "jsonc-parser";
import { ok, type Result } from "../../base/result.ts";
import { isOurCommand } from "../launcher-command.ts";
import {
  type Dialect,
  type Document,
  parseDocument,
  property,
  refuse,
  type SettingsError,
  valueNode,
} from "./document.ts";
import { putInto, styleOf, takeWithOwnContainers } from "./splice.ts";

export interface HookEntry {
  readonly event: string;
  /** Which tools; null where the event has none, or all are meant. */
  readonly matcher: string | null;
  readonly command: string;
  readonly timeoutS: number;
}

export interface HookDialect extends Dialect {
  /** Of `timeout` in the file; seconds where that is not said. */
  readonly timeoutUnit?: keyof typeof PER_SECOND;
  /** Handlers stand in an event's list themselves, not in groups with a matcher. */
  readonly flat?: boolean;
}

const PER_SECOND = { s: 1, ms: 1_000 } as const;

/** Brings the file's hooks of ours to exactly these entries. A text that has them already comes back as it is. */
export function setHooks(
  text: string,
  entries: readonly HookEntry[],
  dialect: HookDialect,
): Result<string, SettingsError> {
  const found = findHooks(text, dialect);
  if (!found.ok) return found;
  if (JSON.stringify(sorted(found.value)) === JSON.stringify(sorted(entries))) return ok(text);
  let result = removeHooks(text, dialect);
  for (const [event, group] of byEvent(entries)) {
    if (!result.ok) return result;
    result = addEvent(result.value, event, group, dialect);
  }
  return result;
}

/** Ours, in the file's order. */
export function findHooks(text: string, dialect: HookDialect): Result<readonly HookEntry[], SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const places = ourPlaces(document.value, dialect);
  return places.ok ? ok(places.value.map((place) => place.entry)) : places;
}

export function removeHooks(text: string, dialect: HookDialect): Result<string, SettingsError> {
  let current = text;
  for (;;) {
    const document = parseDocument(current, dialect);
    if (!document.ok) return document;
    const places = ourPlaces(document.value, dialect);
    if (!places.ok) return places;
    const last = places.value.at(-1);
    if (last === undefined) return ok(current);
    // A group that is wholly ours is one place: the second of its handlers is gone with the first.
    current = takeWithOwnContainers(current, last.container, last.index);
  }
}

interface Place {
  readonly entry: HookEntry;
  /** What to take out: the group where all of it is ours, else the one handler. */
  readonly container: Node;
  readonly index: number;
}

function ourPlaces(document: Document, dialect: HookDialect): Result<readonly Place[], SettingsError> {
  const hooks = hooksObject(document);
  if (!hooks.ok) return hooks;
  const places: Place[] = [];
  for (const event of hooks.value?.children ?? []) {
    const groups = valueNode(event);
    if (groups?.type !== "array") continue;
    const name = String(event.children?.[0]?.value);
    (groups.children ?? []).forEach((group, index) => {
      const at = { groups, group, index };
      places.push(...(dialect.flat === true ? placesOf(name, at, dialect) : placesInGroup(name, at, dialect)));
    });
  }
  return ok(places);
}

interface GroupPlace {
  readonly groups: Node;
  readonly group: Node;
  readonly index: number;
}

/** Of a list whose members are handlers. */
function placesOf(event: string, { groups, group, index }: GroupPlace, dialect: HookDialect): readonly Place[] {
  const entry = entryOf(event, group, member(group, "matcher")?.value, dialect);
  return entry === null ? [] : [{ entry, container: groups, index }];
}

/** Null where it is not ours. */
function entryOf(event: string, handler: Node, matcher: unknown, { timeoutUnit = "s" }: HookDialect): HookEntry | null {
  const command = member(handler, "command")?.value;
  if (typeof command !== "string" || !isOurCommand(command)) return null;
  const timeout = member(handler, "timeout")?.value;
  return {
    event,
    matcher: typeof matcher === "string" ? matcher : null,
    command,
    timeoutS: typeof timeout === "number" ? timeout / PER_SECOND[timeoutUnit] : -1,
  };
}

function placesInGroup(event: string, { groups, group, index }: GroupPlace, dialect: HookDialect): readonly Place[] {
  if (group.type !== "object") return [];
  const handlers = member(group, "hooks");
  const matcher = member(group, "matcher")?.value;
  const all = handlers?.type === "array" ? (handlers.children ?? []) : [];
  const ours = all.flatMap((handler, position) => {
    const entry = entryOf(event, handler, matcher, dialect);
    return entry === null ? [] : [{ entry, position }];
  });
  return ours.map(({ entry, position }) =>
    ours.length === all.length || handlers === null
      ? { entry, container: groups, index }
      : { entry, container: handlers, index: position },
  );
}

function addEvent(
  text: string,
  event: string,
  entries: readonly HookEntry[],
  dialect: HookDialect,
): Result<string, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const hooks = hooksObject(document.value);
  if (!hooks.ok) return hooks;
  const style = styleOf(document.value);
  const groups = entries.map((entry) => groupOf(entry, dialect));
  if (hooks.value === null)
    return ok(putInto(text, document.value.root, { key: "hooks", value: { [event]: groups }, ownLevels: 2 }, style));
  const own = property(hooks.value, event);
  if (!own.ok) return own;
  if (own.value === null) return ok(putInto(text, hooks.value, { key: event, value: groups, ownLevels: 1 }, style));
  const list = valueNode(own.value);
  if (list?.type !== "array") return refuse("shape", `hooks.${event} in it is not a list`);
  const [first, ...others] = entries;
  if (first === undefined) return ok(text);
  const put = putInto(text, list, { key: null, value: groupOf(first, dialect), ownLevels: 0 }, style);
  return others.length === 0 ? ok(put) : addEvent(put, event, others, dialect);
}

function groupOf({ matcher, command, timeoutS }: HookEntry, { timeoutUnit = "s", flat = false }: HookDialect): object {
  const timeout = timeoutS * PER_SECOND[timeoutUnit];
  const tools = matcher === null ? {} : { matcher };
  return flat ? { command, timeout, ...tools } : { ...tools, hooks: [{ type: "command", command, timeout }] };
}

function hooksObject({ root }: Document): Result<Node | null, SettingsError> {
  const hooks = property(root, "hooks");
  if (!hooks.ok) return hooks;
  if (hooks.value === null) return ok(null);
  const value = valueNode(hooks.value);
  if (value?.type !== "object") return refuse("shape", '"hooks" in it is not an object');
  const names = (value.children ?? []).map((child) => String(child.children?.[0]?.value));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? ok(value) : refuse("shape", `${JSON.stringify(twice)} stands twice in its hooks`);
}

function member(node: Node, key: string): Node | null {
  const found = (node.type === "object" ? (node.children ?? []) : []).filter(
    (child) => child.children?.[0]?.value === key,
  );
  const last = found.at(-1);
  return last === undefined ? null : valueNode(last);
}

function byEvent(entries: readonly HookEntry[]): ReadonlyMap<string, readonly HookEntry[]> {
  return Map.groupBy(entries, ({ event }) => event);
}

/** Where our hooks stand among others does not matter. */
function sorted(entries: readonly HookEntry[]): readonly (readonly unknown[])[] {
  return entries
    .map(({ event, matcher, command, timeoutS }) => [event, matcher, command, timeoutS] as const)
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
