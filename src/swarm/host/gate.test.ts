// The gate: never more at once than it says, in the order of asking, whatever becomes of the work.

import { expect, test } from "vitest";
import { Gate } from "./gate.ts";

test("lets so many through at once, the others in order as places become free", async () => {
  const gate = new Gate(2);
  const events: string[] = [];
  const work = ["a", "b", "c", "d"].map((name) => ({ name, ...Promise.withResolvers<void>() }));
  const all = work.map(({ name, promise }) =>
    gate.through(async () => {
      events.push(`${name} begins`);
      await promise;
      events.push(`${name} ends`);
      return name;
    }),
  );
  for (const name of ["b", "a", "c", "d"]) {
    await Promise.resolve();
    work.find((each) => each.name === name)?.resolve();
    await all[work.findIndex((each) => each.name === name)];
  }
  expect([await Promise.all(all), events]).toEqual([
    ["a", "b", "c", "d"],
    ["a begins", "b begins", "b ends", "c begins", "a ends", "d begins", "c ends", "d ends"],
  ]);
});

test("a failure hands its place on, and nobody slips in before who waits", async () => {
  const gate = new Gate(1);
  const events: string[] = [];
  const enter = (name: string) => gate.through(async () => void events.push(name));
  const failing = gate.through(() => Promise.reject(new Error("no")));
  const waiting = enter("waiting");
  await expect(failing).rejects.toThrow("no");
  await Promise.all([waiting, enter("late")]);
  await enter("last");
  expect(events).toEqual(["waiting", "late", "last"]);
});
