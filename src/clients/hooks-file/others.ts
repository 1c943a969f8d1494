// What a settings file says but for what is ours in it, as the language's own JSON reader sees it: for proofs about edits, in which it has no part.
// Lists and objects that are empty count as missing, since they are left or taken with our hooks.

import { ALLOW_RULE, isOurCommand, isOurServer, isOurStatusCommand, SERVER_NAME } from "../launcher-command.ts";

/** Null for what is no JSON. */
export function othersInJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return null;
  }
  if (!isObject(value)) return value;
  const { hooks, statusLine, mcpServers, permissions, ...rest } = value;
  const kept = othersHooks(hooks);
  const [servers, rules] = [othersServers(mcpServers), othersRules(permissions)];
  return {
    rest: Object.entries(rest),
    ...(servers === null ? {} : { servers }),
    ...(rules === null ? {} : { rules }),
    ...(kept === null ? {} : { hooks: kept }),
    ...(statusLine === undefined || isOurs(statusLine, isOurStatusCommand) ? {} : { statusLine }),
  };
}

/** Of `{ <event>: [ { hooks: [ { command } ] } ] }`, in any reader's form. */
export function othersHooks(hooks: unknown): unknown {
  if (!isObject(hooks)) return hooks ?? null;
  const events = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups]];
    const kept = groups.flatMap(withoutOurs);
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
