// Our MCP server as a table at the end of Codex's config.toml: text of one fixed form, so that taking it out gives the bytes before. Whatever
// is written is read again by a TOML parser and must differ from the old file by this table alone.

import { isDeepStrictEqual } from "node:util";
import { ok, type Result } from "../../base/result.ts";
import { refuse, type SettingsError } from "../hooks-file/document.ts";
import { isOurServer, type McpCommand, SERVER_NAME } from "../launcher-command.ts";
import type { McpForm } from "../settings.ts";
import { others, readToml, tableOf } from "./toml.ts";

export const tomlServerForm: McpForm = { set, remove, has, others, blank: "" };

/** Codex gives a server only a few variables; these say where Skein keeps everything. */
const passed = ["SKEIN_STATE_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "SKEIN_HOOKS_OFF"];

function set(text: string, server: McpCommand): Result<string, SettingsError> {
  const found = find(text);
  if (!found.ok) return found;
  if (found.value.kind === "another")
    return refuse("shape", `it has another MCP server with the name ${SERVER_NAME}: give that one another name`);
  const wanted = { ...server, env_vars: passed };
  if (found.value.kind === "ours" && holds(found.value.table, wanted)) return ok(text);
  const bare = remove(text);
  if (!bare.ok) return bare;
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const put = bare.value + blockOf(server).replaceAll("\n", eol);
  const after = find(put);
  const good =
    after.ok && after.value.kind === "ours" && holds(after.value.table, wanted) && sameButOurs(bare.value, put);
  return good ? ok(put) : refuse("shape", "its MCP servers are written in a form that a table cannot be added to");
}

function remove(text: string): Result<string, SettingsError> {
  const found = find(text);
  if (!found.ok) return found;
  if (found.value.kind !== "ours") return ok(text);
  const bare = text.replace(BLOCK, "").replace(SUBTABLE, "");
  const left = find(bare);
  if (!left.ok || left.value.kind !== "none" || !sameButOurs(text, bare))
    return refuse("shape", `our MCP server in it was changed by hand: remove [mcp_servers.${SERVER_NAME}] yourself`);
  return ok(bare);
}

function has(text: string): Result<boolean, SettingsError> {
  const found = find(text);
  return found.ok ? ok(found.value.kind === "ours") : found;
}

type Found = { readonly kind: "none" | "another" } | { readonly kind: "ours"; readonly table: object };

function find(text: string): Result<Found, SettingsError> {
  const read = readToml(text);
  if (!read.ok) return read;
  const servers = tableOf(read.value.mcp_servers);
  if (!(SERVER_NAME in servers)) return ok({ kind: "none" });
  const table = tableOf(servers[SERVER_NAME]);
  return ok(isOurServer(table) ? { kind: "ours", table } : { kind: "another" });
}

/** What Codex or its person has put beside our keys does not count. */
function holds(table: object, wanted: object): boolean {
  return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(Reflect.get(table, key), value));
}

/** The line before the header is empty, or ends a last line that had no end. */
function blockOf({ command, args }: McpCommand): string {
  const list = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
  return `\n[mcp_servers.${SERVER_NAME}]\ncommand = ${JSON.stringify(command)}\nargs = ${list(args)}\nenv_vars = ${list(passed)}\n`;
}

const BLOCK =
  /\r?\n\[mcp_servers\.skein\]\r?\ncommand = "(?:[^"\\]|\\.)*"\r?\nargs = \[[^\n]*\]\r?\nenv_vars = \[[^\n]*\]\r?\n/;
/** Codex's own: what its person has decided about a tool of ours. */
const SUBTABLE = /(?:\r?\n)?^\[mcp_servers\.skein\.[^\n]*\n(?:(?!\[)[^\n]*(?:\n|$))*/gm;

function sameButOurs(before: string, after: string): boolean {
  const [one, other] = [readToml(before), readToml(after)];
  return one.ok && other.ok && isDeepStrictEqual(withoutOurs(one.value), withoutOurs(other.value));
}

function withoutOurs(file: object): object {
  const { mcp_servers, ...others } = { mcp_servers: null, ...file };
  const servers = Object.entries(tableOf(mcp_servers ?? undefined)).filter(([name]) => name !== SERVER_NAME);
  return servers.length === 0 ? others : { ...others, mcp_servers: Object.fromEntries(servers) };
}
