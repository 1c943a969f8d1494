// What can be expected to go wrong with suites and results, as data; what a person reads of it is made in one place elsewhere.

import type { FileError } from "../host/files.ts";

export type EvalsError =
  /** `message` has one problem a line, each with its place. */
  | { readonly kind: "eval-suite"; readonly path: string; readonly message: string }
  | { readonly kind: "eval-no-suite"; readonly name: string; readonly looked: readonly string[] }
  /** A flag, or a name that the suite does not have. */
  | { readonly kind: "eval-usage"; readonly message: string }
  /** The directory holds no results, or those of another suite, model or plan. */
  | { readonly kind: "eval-results"; readonly path: string; readonly message: string }
  /** Another process is at work on it. */
  | { readonly kind: "eval-held"; readonly path: string }
  /** The program would not begin a run, for what it was given: model, key, flags. */
  | { readonly kind: "eval-not-begun"; readonly message: string }
  /** Somebody else wrote into the results while a run was made; what was changed is set aside or made again by the next start. */
  | { readonly kind: "eval-changed"; readonly path: string; readonly message: string }
  /** The suite's own solutions are not told apart by its checks. */
  | { readonly kind: "eval-unsound"; readonly suite: string; readonly problems: readonly string[] }
  | FileError;
