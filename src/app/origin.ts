// Where a setting came from, kept beside its value: a person sees it, and what a repository says is trusted less.

import { unreachable } from "../base/assert.ts";

export type Origin =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "variable"; readonly variable: string }
  /** A file of the repository: untrusted. */
  | { readonly kind: "project"; readonly path: string }
  | { readonly kind: "user"; readonly path: string }
  /** A run that goes on: as it was before. */
  | { readonly kind: "run"; readonly run: string }
  | { readonly kind: "default" };

export interface Sourced<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** Named where it is set: `--budget`, `SKEIN_MODEL`, a file's path, `default`. */
export function originText(origin: Origin): string {
  switch (origin.kind) {
    case "flag":
      return origin.flag;
    case "variable":
      return origin.variable;
    case "project":
    case "user":
      return origin.path;
    case "run":
      return `run ${origin.run}`;
    case "default":
      return "default";
    default:
      return unreachable(origin);
  }
}
