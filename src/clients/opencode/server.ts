// Our MCP server in opencode's own settings, and beside it the rule that lets its tools run: { "mcp": { "skein": … }, "permission": { "skein_*":
// "allow" } }. Invariant: every other byte stays; what its person has said of these tools stays as well.

import { ok, type Result } from "../../base/result.ts";
import { type Document, parseDocument, property, type SettingsError, valueNode } from "../hooks-file/document.ts";
import { othersServers, plainValueOf } from "../hooks-file/others.ts";
import { jsonServerForm, type ServerDialect } from "../hooks-file/server-entry.ts";
import { putInto, styleOf, takeWithOwnContainers } from "../hooks-file/splice.ts";
import { OPENCODE_ALLOW_RULE } from "../launcher-command.ts";
import { fieldsOf } from "../payload.ts";
import type { McpForm } from "../settings.ts";

/** https://opencode.ai/docs/config: a line of comment and a comma at the end are taken in both of its files' names. */
const dialect: ServerDialect = { comments: true, servers: "mcp" };

/** https://opencode.ai/docs/mcp-servers */
const entryForm = jsonServerForm(
  ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
  dialect,
);

/** https://opencode.ai/docs/permissions: of the rules that fit, the last decides. */
const listName = "permission";
const allow = "allow";

export const opencodeServerForm: McpForm = {
  set: (text, server) => {
    const put = entryForm.set(text, server);
    return put.ok ? setRule(put.value) : put;
  },
  remove: (text) => {
    const removed = removeRule(text);
    return removed.ok ? entryForm.remove(removed.value) : removed;
  },
  has: entryForm.has,
  others: (text) => {
    const value = fieldsOf(plainValueOf(text.replace(/^\ufeff/, ""), dialect));
    if (value === null) return null;
    const { mcp, [listName]: rules, ...rest } = value;
    return { rest: Object.entries(rest), servers: othersServers(mcp), rules: othersRules(rules) };
  },
  // As opencode itself begins one; without the schema it would write it anew.
  blank: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
};

function setRule(text: string): Result<string, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const { root } = document.value;
  const style = styleOf(document.value);
  const found = property(root, listName);
  if (!found.ok) return found;
  if (found.value === null)
    return ok(putInto(text, root, { key: listName, value: { [OPENCODE_ALLOW_RULE]: allow }, ownLevels: 1 }, style));
  const rules = valueNode(found.value);
  // One word for all tools: that is what its person wants of these, too.
  if (rules?.type !== "object") return ok(text);
  const own = property(rules, OPENCODE_ALLOW_RULE);
  if (!own.ok) return own;
  if (own.value !== null) return ok(text);
  return ok(putInto(text, rules, { key: OPENCODE_ALLOW_RULE, value: allow, ownLevels: 0 }, style));
}

function removeRule(text: string): Result<string, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const rules = rulesIn(document.value);
  const index = (rules?.children ?? []).findIndex(
    ({ children = [] }) => children[0]?.value === OPENCODE_ALLOW_RULE && children[1]?.value === allow,
  );
  return ok(rules === null || index < 0 ? text : takeWithOwnContainers(text, rules, index));
}

function rulesIn({ root }: Document) {
  const found = property(root, listName);
  const rules = found.ok && found.value !== null ? valueNode(found.value) : null;
  return rules?.type === "object" ? rules : null;
}

function othersRules(rules: unknown): unknown {
  const object = fieldsOf(rules);
  if (object === null) return rules ?? null;
  const kept = Object.entries(object).filter(([name, value]) => name !== OPENCODE_ALLOW_RULE || value !== allow);
  return kept.length === 0 ? null : kept;
}
