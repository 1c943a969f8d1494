// Reading a hook's payload: fields of unknown origin as plain values, for all clients. Nothing is trusted: a field of another type counts as missing.

import { isAbsolute } from "node:path";
import { err, type Result } from "../base/result.ts";
import type { HookCall, PayloadError } from "../sessions/client.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Longer ids are no ids. */
const idCharsMax = 200;

export function fieldsOf(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

/** The first of these fields that is a string with anything in it; null otherwise. */
export function textField(fields: Fields, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** As `textField`, for ids: null where it is too long to be one. */
export function idField(fields: Fields, ...names: readonly string[]): string | null {
  const text = textField(fields, ...names);
  return text !== null && text.length <= idCharsMax ? text : null;
}

/** A process number; null where it is none. */
export function pidField(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31 ? value : null;
}

export function objectField(fields: Fields, name: string): Fields {
  return fieldsOf(fields[name]) ?? {};
}

export function countField(fields: Fields, name: string): number {
  const value = fields[name];
  return Array.isArray(value) ? value.length : 0;
}

/** The payload's directory, else the hook's own. */
export function directoryOf(fields: Fields, call: HookCall, ...names: readonly string[]): string {
  const named = textField(fields, ...names);
  return named !== null && isAbsolute(named) ? named : call.cwd;
}

export function payloadError(message: string): Result<never, PayloadError> {
  return err({ kind: "payload", message });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
