// The adapter on Node's own parts keeps the port's contract, on the Node that the tests run on.

import { expect, test } from "vitest";
import { describeProgramOutput } from "../../testing/contract/program-output.ts";
import { quickProgramOutput } from "./quick-program-output.ts";

describeProgramOutput("node, quick", quickProgramOutput);

const shell = (script: string, msMax: number) =>
  ({ argv: ["/bin/sh", "-c", script], cwd: "/", env: {}, msMax, bytesMax: 1_000_000 }) as const;

test("the program runs while its caller does other work, and one that was over in time counts however long that work took", async () => {
  const answer = quickProgramOutput(shell("printf done", 40));
  // Nothing of it is heard of before the caller waits.
  const until = performance.now() + 400;
  while (performance.now() < until);
  expect(Buffer.from((await answer) ?? []).toString()).toBe("done");
});

test("all of a long output arrives", async () => {
  const output = await quickProgramOutput(
    shell("i=0; while [ $i -lt 20000 ]; do echo 123456789; i=$((i+1)); done", 30_000),
  );
  expect(Buffer.from(output ?? []).toString()).toBe("123456789\n".repeat(20_000));
});

test("what its end leaves open does not make it endless", async () => {
  const startedAt = performance.now();
  expect(await quickProgramOutput(shell("sleep 30 & printf half", 200))).toBe(null);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
