// Contract of the Log port: acceptance in order, durability as a whole, positions without gaps, blobs under their own name.

import { describe } from "vitest";
import { describeAppending } from "./log-append.ts";
import { describeBlobs } from "./log-blobs.ts";
import { describeCheckpoints } from "./log-checkpoint.ts";
import { describeReopening } from "./log-reopen.ts";
import type { MakeLog } from "./log-under-test.ts";

export function describeLog(name: string, make: MakeLog): void {
  describe(`Log: ${name}`, () => {
    describeAppending(make);
    describeBlobs(make);
    describeReopening(make);
    describeCheckpoints(make);
  });
}
