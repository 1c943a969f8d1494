// Small parsers for plain values from outside a process: a type is written once, as its parser, and derived from it.
// No schema library: a hook that must start in milliseconds uses these too.

import { err, ok, type Result } from "./result.ts";

export type Parser<T> = (value: unknown, at: string) => T;
export type Parsed<P> = P extends Parser<infer T> ? T : never;

export interface ParseError {
  readonly kind: "parse";
  readonly message: string;
}

class Mismatch extends Error {}

/** Runs a parser on a value of unknown origin. */
export function parse<T>(parser: Parser<T>, value: unknown, name: string): Result<T, ParseError> {
  try {
    return ok(parser(value, name));
  } catch (error) {
    if (error instanceof Mismatch) return err({ kind: "parse", message: error.message });
    throw error;
  }
}

function mismatch(at: string, wanted: string): never {
  throw new Mismatch(`${at}: expected ${wanted}`);
}

/** A string of at most `charsMax` UTF-16 units. */
export function text<T extends string = string>(charsMax: number): Parser<T> {
  return (value, at) => {
    if (typeof value !== "string" || value.length > charsMax)
      return mismatch(at, `a string of at most ${charsMax} characters`);
    return value as T;
  };
}

/** A safe integer from 0. */
export function natural<T extends number = number>(): Parser<T> {
  return (value, at) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      return mismatch(at, "a whole number from 0");
    return value as T;
  };
}

export const real: Parser<number> = (value, at) => {
  if (typeof value !== "number" || !Number.isFinite(value)) return mismatch(at, "a finite number");
  return value;
};

export const flag: Parser<boolean> = (value, at) => (typeof value === "boolean" ? value : mismatch(at, "a boolean"));

export function bytes(bytesMax: number): Parser<Uint8Array> {
  return (value, at) => {
    if (!(value instanceof Uint8Array) || value.byteLength > bytesMax) return mismatch(at, `at most ${bytesMax} bytes`);
    return value;
  };
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Parser<T> {
  return (value, at) => values.find((candidate) => candidate === value) ?? mismatch(at, values.join(" | "));
}

export function nullable<T>(parser: Parser<T>): Parser<T | null> {
  return (value, at) => (value === null ? null : parser(value, at));
}

/** A field that those who wrote before it was there do not have. */
export function optional<T>(parser: Parser<T>, missing: T): Parser<T> {
  return (value, at) => (value === undefined ? missing : parser(value, at));
}

export function either<A, B>(first: Parser<A>, second: Parser<B>): Parser<A | B> {
  return (value, at) => {
    try {
      return first(value, at);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      return second(value, at);
    }
  };
}

export function list<T>(parser: Parser<T>, countMax: number): Parser<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length > countMax) return mismatch(at, `a list of at most ${countMax}`);
    return value.map((item, index) => parser(item, `${at}[${index}]`));
  };
}

/** An object used as a map: any names, values of one kind. */
export function record<T>(parser: Parser<T>, countMax: number): Parser<Readonly<Record<string, T>>> {
  return (value, at) => {
    if (!isPlain(value)) return mismatch(at, "an object");
    const entries = Object.entries(value);
    if (entries.length > countMax) return mismatch(at, `an object of at most ${countMax} fields`);
    return Object.fromEntries(entries.map(([name, item]) => [name, parser(item, `${at}.${name}`)]));
  };
}

type Fields = Readonly<Record<string, Parser<unknown>>>;
type ObjectOf<F extends Fields> = { readonly [K in keyof F]: Parsed<F[K]> };

/** An object with exactly these fields read; others are dropped, so that a newer peer may say more. */
export function object<F extends Fields>(fields: F): Parser<ObjectOf<F>> {
  const parts = Object.entries(fields).map(([name, parser]) => ({ name, parser, suffix: `.${name}` }));
  return (value, at) => {
    if (!isPlain(value)) return mismatch(at, "an object");
    const result: Record<string, unknown> = {};
    for (const { name, parser, suffix } of parts) result[name] = parser(value[name], at + suffix);
    return result as ObjectOf<F>;
  };
}

type SparseOf<F extends Fields> = { readonly [K in keyof F]: Parsed<F[K]> | null };

/** As `object`, where a field that is missing or null is null. Only what is there is looked at: quick where most is not. */
export function sparse<F extends Fields>(fields: F): Parser<SparseOf<F>> {
  const none = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  return (value, at) => {
    if (!isPlain(value)) return mismatch(at, "an object");
    const result: Record<string, unknown> = { ...none };
    for (const name of Object.keys(value)) {
      const item = value[name];
      if (item !== null && item !== undefined && Object.hasOwn(fields, name))
        result[name] = fields[name]?.(item, `${at}.${name}`);
    }
    return result as SparseOf<F>;
  };
}

type Variants = Readonly<Record<string, Parser<object>>>;
type UnionOf<V extends Variants> = { [K in keyof V]: { readonly kind: K } & Parsed<V[K]> }[keyof V];

/** A union told apart by its `kind`. */
export function union<V extends Variants>(variants: V): Parser<UnionOf<V>> {
  return (value, at) => {
    const kind = isPlain(value) ? value.kind : undefined;
    const parser = typeof kind === "string" && Object.hasOwn(variants, kind) ? variants[kind] : undefined;
    if (parser === undefined) return mismatch(`${at}.kind`, Object.keys(variants).join(" | "));
    return { ...parser(value, at), kind } as UnionOf<V>;
  };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
