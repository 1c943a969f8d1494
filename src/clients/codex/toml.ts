// Our hooks as tables at the end of Codex's config.toml. Each is text of one fixed form, so that taking it out gives the bytes before;
// whatever is written is read again by a TOML parser and must differ from the old file by our hooks alone.

import { isDeepStrictEqual } from "node:util";
import { parse, type TomlTable } from "smol-toml";
import { ok, type Result } from "../../base/result.ts";
import { refuse, type SettingsError } from "../hooks-file/document.ts";
import type { HookEntry } from "../hooks-file/hooks.ts";
import { othersHooks, othersServers } from "../hooks-file/others.ts";
import { isOurCommand } from "../launcher-command.ts";
import type { HookForm } from "../settings.ts";

export const tomlForm: HookForm = { set, remove, find, others, blank: "" };

/** Hooks of anybody's, ours too, in this file; what Codex notes of approvals does not count. */
export function holdsHooks(text: string): boolean {
  const read = readToml(text);
  return (
    read.ok &&
    Object.entries(tableOf(read.value.hooks)).some(([event, groups]) => event !== "state" && Array.isArray(groups))
  );
}

/** `[features] hooks = false`, or its older name. */
export function featureIsOff(text: string): boolean {
  const read = readToml(text);
  const features = read.ok ? tableOf(read.value.features) : {};
  return features.hooks === false || (features.hooks === undefined && features.codex_hooks === false);
}

function set(text: string, entries: readonly HookEntry[]): Result<string, SettingsError> {
  const found = find(text);
  if (!found.ok) return found;
  if (isDeepStrictEqual(byName(found.value), byName(entries))) return ok(text);
  const bare = remove(text);
  if (!bare.ok) return bare;
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const put = bare.value + entries.map((entry) => blockOf(entry).replaceAll("\n", eol)).join("");
  const after = find(put);
  if (!after.ok)
    return refuse("shape", `its hooks are written in a form that tables cannot be added to (${after.error.message})`);
  return isDeepStrictEqual(byName(after.value), byName(entries)) && sameButOurs(bare.value, put)
    ? ok(put)
    : refuse("shape", "its hooks are written in a form that tables cannot be added to");
}

function remove(text: string): Result<string, SettingsError> {
  const read = readToml(text);
  if (!read.ok) return read;
  const bare = text.replace(BLOCK, (block, _event, _matcher, command: string) =>
    isOurCommand(unquoted(command)) ? "" : block,
  );
  const left = find(bare);
  if (!left.ok || left.value.length > 0 || !sameButOurs(text, bare))
    return refuse(
      "shape",
      "our hooks in it were changed by hand: remove the [[hooks.…]] tables that name skein-hook yourself",
    );
  return ok(bare);
}

function find(text: string): Result<readonly HookEntry[], SettingsError> {
  const read = readToml(text);
  if (!read.ok) return read;
  const found: HookEntry[] = [];
  for (const [event, groups] of Object.entries(tableOf(read.value.hooks)))
    for (const group of listOf(groups).map(tableOf))
      for (const handler of listOf(group.hooks).map(tableOf)) {
        const { command, timeout } = handler;
        if (typeof command !== "string" || !isOurCommand(command)) continue;
        const matcher = typeof group.matcher === "string" ? group.matcher : null;
        found.push({ event, matcher, command, timeoutS: typeof timeout === "number" ? timeout : -1 });
      }
  return ok(found);
}

/** JSON's strings are TOML's basic strings. The line before the first header is empty, or ends a last line that had no end. */
function blockOf({ event, matcher, command, timeoutS }: HookEntry): string {
  const only = matcher === null ? "" : `matcher = ${JSON.stringify(matcher)}\n`;
  return `\n[[hooks.${event}]]\n${only}[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeoutS}\n`;
}

const BLOCK =
  /\r?\n\[\[hooks\.(\w+)\]\]\r?\n(?:matcher = ("(?:[^"\\]|\\.)*")\r?\n)?\[\[hooks\.\1\.hooks\]\]\r?\ntype = "command"\r?\ncommand = ("(?:[^"\\]|\\.)*")\r?\ntimeout = \d+\r?\n/g;

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return "";
  }
}

function sameButOurs(before: string, after: string): boolean {
  const [one, other] = [readToml(before), readToml(after)];
  return one.ok && other.ok && isDeepStrictEqual(withoutOurs(one.value), withoutOurs(other.value));
}

/** Groups that are ours vanish, and so does an event or a `hooks` that is left with nothing. */
function withoutOurs(table: TomlTable): object {
  const { hooks, ...others } = table;
  const events: (readonly [string, unknown])[] = [];
  for (const [event, groups] of Object.entries(tableOf(hooks))) {
    const left = Array.isArray(groups) ? groups.filter((group) => !hasOurs(group)) : groups;
    if (!Array.isArray(left) || left.length > 0) events.push([event, left]);
  }
  return events.length === 0 ? others : { ...others, hooks: Object.fromEntries(events) };
}

function hasOurs(group: unknown): boolean {
  return listOf(tableOf(group).hooks).some((handler) => {
    const { command } = tableOf(handler);
    return typeof command === "string" && isOurCommand(command);
  });
}

/** Also without our MCP server, which is in the same file. */
export function others(text: string): unknown {
  const read = readToml(text);
  if (!read.ok) return null;
  const { hooks, mcp_servers, ...rest } = read.value;
  return { rest, hooks: othersHooks(hooks), servers: othersServers(mcp_servers) };
}

export function readToml(text: string): Result<TomlTable, SettingsError> {
  try {
    return ok(parse(text.replace(/^\ufeff/, ""), { integersAsBigInt: "asNeeded" }));
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    return refuse("malformed", line ?? "it is not TOML");
  }
}

export function tableOf(value: unknown): TomlTable {
  return isTable(value) ? value : {};
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function byName(entries: readonly HookEntry[]): readonly HookEntry[] {
  return entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
