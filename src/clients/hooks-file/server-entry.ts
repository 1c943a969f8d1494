// Our MCP server in JSON settings: { "mcpServers": { "skein": { "type", "command", "args" } } }, or in another object of servers. Invariant: only
// a server that starts our launcher is ours, and every other byte stays.

import type { Node } from "jsonc-parser";
import { ok, type Result } from "../../base/result.ts";
import { isOurServer, type McpCommand, SERVER_NAME } from "../launcher-command.ts";
import type { McpForm } from "../settings.ts";
import {
  type Dialect,
  type Document,
  parseDocument,
  property,
  refuse,
  type SettingsError,
  valueNode,
} from "./document.ts";
import { othersInJson } from "./others.ts";
import { putInto, styleOf, takeWithOwnContainers } from "./splice.ts";

/** What stands in the entry for a command. */
export type ServerValue = (server: McpCommand) => object;

export interface ServerDialect extends Dialect {
  /** The object of all servers; `mcpServers` where that is not said. */
  readonly servers?: string;
}

export function jsonServerForm(entryOf: ServerValue, dialect: ServerDialect): McpForm {
  return {
    set: (text, server) => setServer(text, entryOf(server), dialect),
    remove: (text) => removeServer(text, dialect),
    has: (text) => {
      const found = findServer(text, dialect);
      return found.ok ? ok(found.value.kind === "ours") : found;
    },
    others: (text) => othersInJson(text, dialect),
    blank: "{}\n",
  };
}

function setServer(text: string, value: object, dialect: ServerDialect): Result<string, SettingsError> {
  const found = findServer(text, dialect);
  if (!found.ok) return found;
  if (found.value.kind === "another")
    return refuse("shape", `it has another MCP server with the name ${SERVER_NAME}: give that one another name`);
  if (found.value.kind === "ours" && JSON.stringify(found.value.value) === JSON.stringify(value)) return ok(text);
  const without = removeServer(text, dialect);
  const document = without.ok ? parseDocument(without.value, dialect) : without;
  if (!document.ok) return document;
  const style = styleOf(document.value);
  const servers = serversOf(document.value, dialect);
  if (!servers.ok) return servers;
  if (servers.value === null) {
    const child = { key: nameOf(dialect), value: { [SERVER_NAME]: value }, ownLevels: 1 };
    return ok(putInto(document.value.text, document.value.root, child, style));
  }
  return ok(putInto(document.value.text, servers.value, { key: SERVER_NAME, value, ownLevels: 0 }, style));
}

function removeServer(text: string, dialect: ServerDialect): Result<string, SettingsError> {
  const found = findServer(text, dialect);
  if (!found.ok) return found;
  if (found.value.kind !== "ours") return ok(text);
  const { container, index } = found.value;
  return ok(takeWithOwnContainers(text, container, index));
}

type Found =
  | { readonly kind: "none" | "another" }
  | { readonly kind: "ours"; readonly value: object; readonly container: Node; readonly index: number };

function findServer(text: string, dialect: ServerDialect): Result<Found, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const servers = serversOf(document.value, dialect);
  if (!servers.ok) return servers;
  if (servers.value === null) return ok({ kind: "none" });
  const own = property(servers.value, SERVER_NAME);
  if (!own.ok) return own;
  if (own.value === null) return ok({ kind: "none" });
  const node = valueNode(own.value);
  const value: unknown = node === null ? null : plainValue(node);
  if (typeof value !== "object" || value === null || !isOurServer(value)) return ok({ kind: "another" });
  const index = (servers.value.children ?? []).indexOf(own.value);
  return ok({ kind: "ours", value, container: servers.value, index });
}

function nameOf({ servers = "mcpServers" }: ServerDialect): string {
  return servers;
}

function serversOf({ root }: Document, dialect: ServerDialect): Result<Node | null, SettingsError> {
  const servers = property(root, nameOf(dialect));
  if (!servers.ok) return servers;
  if (servers.value === null) return ok(null);
  const value = valueNode(servers.value);
  return value?.type === "object" ? ok(value) : refuse("shape", `"${nameOf(dialect)}" in it is not an object`);
}

function plainValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type !== "object") return node.value;
  const members = (node.children ?? []).map(({ children = [] }) => {
    const [key, value] = children;
    return [String(key?.value), value === undefined ? null : plainValue(value)] as const;
  });
  return Object.fromEntries(members);
}
