// The flags by which a command names a store: the same for `skein serve` and every `skein vcs`.

import type { Command } from "commander";
import type { StoreWish } from "../app/store-place.ts";

export interface StoreFlags {
  readonly store?: string;
  readonly run?: string;
  readonly json?: boolean;
}

export function addStoreFlags(command: Command): Command {
  return command
    .option("--store <dir>", "the store's directory (default: the store of this repository's newest run)")
    .option("--run <run>", "the store of this run")
    .option("--json", "one line of JSON");
}

export function wishOf({ store, run }: StoreFlags): StoreWish {
  return { ...(store === undefined ? {} : { store }), ...(run === undefined ? {} : { run }) };
}
