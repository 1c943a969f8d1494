// Our status line in Claude Code's settings: { "statusLine": { "type": "command", "command": … } }. Invariant: only a line of ours is ever
// changed or taken out, and every other byte stays.

import { ok, type Result } from "../../base/result.ts";
import { isOurStatusCommand } from "../launcher-command.ts";
import { type Dialect, parseDocument, property, refuse, type SettingsError, valueNode } from "./document.ts";
import { putInto, styleOf, takeOut } from "./splice.ts";

const key = "statusLine";

/** Refused where there is another's: two cannot be shown. */
export function setStatusLine(text: string, command: string, dialect: Dialect): Result<string, SettingsError> {
  const found = findStatusLine(text, dialect);
  if (!found.ok) return found;
  if (found.value.kind === "another")
    return refuse(
      "shape",
      "it has a status line already, and Claude Code shows one: call `skein statusline claude-code` in that",
    );
  if (found.value.kind === "ours" && found.value.command === command) return ok(text);
  const without = removeStatusLine(text, dialect);
  const document = without.ok ? parseDocument(without.value, dialect) : without;
  if (!document.ok) return document;
  const child = { key, value: { type: "command", command }, ownLevels: 0 };
  return ok(putInto(document.value.text, document.value.root, child, styleOf(document.value)));
}

export function removeStatusLine(text: string, dialect: Dialect): Result<string, SettingsError> {
  const found = findStatusLine(text, dialect);
  if (!found.ok) return found;
  const document = parseDocument(text, dialect);
  if (!document.ok || found.value.kind !== "ours") return document.ok ? ok(text) : document;
  return ok(takeOut(text, document.value.root, found.value.index).text);
}

type Found =
  | { readonly kind: "none" | "another" }
  | { readonly kind: "ours"; readonly command: string; readonly index: number };

function findStatusLine(text: string, dialect: Dialect): Result<Found, SettingsError> {
  const document = parseDocument(text, dialect);
  if (!document.ok) return document;
  const { root } = document.value;
  const line = property(root, key);
  if (!line.ok) return line;
  if (line.value === null) return ok({ kind: "none" });
  const value = valueNode(line.value);
  const member = (value?.children ?? []).find((child) => child.children?.[0]?.value === "command");
  const command: unknown = member?.children?.[1]?.value;
  if (typeof command !== "string" || !isOurStatusCommand(command)) return ok({ kind: "another" });
  return ok({ kind: "ours", command, index: (root.children ?? []).indexOf(line.value) });
}
