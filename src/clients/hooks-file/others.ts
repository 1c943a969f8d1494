// What a settings file says but for our hooks, as the language's own JSON reader sees it: for proofs about edits, in which it has no part.
// Lists and objects that are empty count as missing, since they are left or taken with our hooks.

import { isOurCommand, isOurStatusCommand } from "../launcher-command.ts";

/** Null for what is no JSON. */
export function othersInJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return null;
  }
  if (!isObject(value)) return value;
  const { hooks, statusLine, ...rest } = value;
  const kept = othersHooks(hooks);
  return {
    rest: Object.entries(rest),
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
