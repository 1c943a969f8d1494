// What a settings file says but for what is ours in it, as the language's own JSON reader sees it: for proofs about edits, in which it has no part.
// Lists and objects that are empty count as missing, since they are left or taken with our hooks.

import { type ParseError, parse } from "jsonc-parser";
import { ALLOW_RULE, isOurCommand, isOurServer, isOurStatusCommand, SERVER_NAME } from "../launcher-command.ts";
import type { Dialect } from "./document.ts";
import type { HookDialect } from "./hooks.ts";

/** Null for what the client's own reader would not take. Only comments and last commas need another reader than the language's. */
export function othersInJson(text: string, dialect: HookDialect): unknown {
  const value = plainValueOf(text.replace(/^\ufeff/, ""), dialect);
  if (!isObject(value)) return value;
  const { hooks, statusLine, mcpServers, permissions, ...rest } = value;
  const kept = othersHooks(hooks, dialect);
  const [servers, rules] = [othersServers(mcpServers), othersRules(permissions)];
  return {
    rest: Object.entries(rest),
    ...(servers === null ? {} : { servers }),
    ...(rules === null ? {} : { rules }),
    ...(kept === null ? {} : { hooks: kept }),
    ...(statusLine === undefined || isOurs(statusLine, isOurStatusCommand) ? {} : { statusLine }),
  };
}

export function plainValueOf(text: string, { comments, trailingCommas = comments }: Dialect): unknown {
  if (comments || trailingCommas) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { disallowComments: !comments, allowTrailingComma: trailingCommas });
    return errors.length > 0 ? null : value;
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Of `{ <event>: [ { hooks: [ { command } ] } ] }`, or flat `{ <event>: [ { command } ] }`, in any reader's form. */
export function othersHooks(hooks: unknown, { flat = false }: Pick<HookDialect, "flat"> = {}): unknown {
  if (!isObject(hooks)) return hooks ?? null;
  const events = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups]];
    const kept = flat ? groups.filter((handler) => !isOurs(handler, isOurCommand)) : groups.flatMap(withoutOurs);
    return kept.length === 0 ? [] : [[event, kept]];
  });
  return events.length === 0 ? null : Object.fromEntries(events);
}

/** Of `{ <name>: { command, args } }`, in any reader's form. */
export function othersServers(servers: unknown): unknown {
  if (!isObject(servers)) return servers ?? null;
  const kept = Object.entries(servers).filter(
    ([name, server]) => !(name === SERVER_NAME && isObject(server) && isOurServer(server)),
  );
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function othersRules(permissions: unknown): unknown {
  if (!isObject(permissions) || !Array.isArray(permissions.allow)) return permissions ?? null;
  const { allow, ...rest } = permissions;
  const kept = allow.filter((rule) => rule !== ALLOW_RULE);
  const others = { ...rest, ...(kept.length === 0 ? {} : { allow: kept }) };
  return Object.keys(others).length === 0 ? null : others;
}

function withoutOurs(group: unknown): readonly unknown[] {
  if (!isObject(group) || !Array.isArray(group.hooks)) return [group];
  const kept = group.hooks.filter((handler) => !isOurs(handler, isOurCommand));
  if (kept.length === group.hooks.length) return [group];
  return kept.length === 0 ? [] : [{ ...group, hooks: kept }];
}

function isOurs(handler: unknown, is: (command: string) => boolean): boolean {
  return isObject(handler) && typeof handler.command === "string" && is(handler.command);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
