// A megabyte of what is meant to be slow.

import { expect, test } from "vitest";
import { HOSTILE_PARTS, hostileText } from "../testing/sessions/hostile-texts.ts";
import { Scan } from "./redact/scan.ts";
import { redactIn } from "./redact.ts";

/** Characters looked at for each of the text; what is quadratic takes tens of thousands. */
const stepsMax = 150;

test.each(Object.entries(HOSTILE_PARTS))("a megabyte of %s is looked at a bounded number of times", (_, part) => {
  const scan = new Scan(hostileText(part, 1024 * 1024));
  redactIn(scan);
  expect(scan.steps / scan.length).toBeLessThan(stepsMax);
});
