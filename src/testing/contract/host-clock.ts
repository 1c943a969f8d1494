// Contract of the Clock and Random ports.

import { describe, expect, test } from "vitest";
import { freshHost, type MakeHost } from "./under-test.ts";

export function describeClock(name: string, make: MakeHost): void {
  describe(`Clock: ${name}`, () => {
    const sut = freshHost(make);

    test("sleep lets at least its time pass, on both clocks", async () => {
      const { host, run } = sut();
      const before = { wall: host.clock.now(), span: host.clock.monotonicMs() };
      await run(host.clock.sleep(15));
      // Both are rounded: the wall clock to whole milliseconds, a timer to the loop's idea of now.
      expect([
        host.clock.now() - before.wall >= 13,
        host.clock.monotonicMs() - before.span >= 13,
        Number.isInteger(host.clock.now()),
      ]).toEqual([true, true, true]);
    });

    test("sleep ends early when its signal aborts, before or during", async () => {
      const { host, run } = sut();
      const controller = new AbortController();
      const dayMs = 86_400_000;
      const during = host.clock.sleep(dayMs, controller.signal);
      host.clock.after(5, () => controller.abort());
      const start = host.clock.now();
      await run(during);
      await run(host.clock.sleep(dayMs, controller.signal));
      expect(host.clock.now() - start < dayMs).toBe(true);
    });

    test("timers fire in the order of their time, and never once cancelled", async () => {
      const { host, run } = sut();
      const fired: string[] = [];
      host.clock.after(60, () => fired.push("late"));
      host.clock.after(20, () => fired.push("early"));
      const cancelled = host.clock.after(30, () => fired.push("cancelled"));
      cancelled.cancel();
      cancelled.cancel();
      await run(host.clock.sleep(120));
      expect(fired).toEqual(["early", "late"]);
    });
  });
}

export function describeRandom(name: string, make: MakeHost): void {
  describe(`Random: ${name}`, () => {
    const sut = freshHost(make);

    test("letters are of the alphabet, of the asked count, and do not repeat themselves", () => {
      const { random } = sut().host;
      const words = Array.from({ length: 200 }, () => random.letters(12));
      expect({
        wellFormed: words.every((word) => /^[a-z2-7]{12}$/.test(word)),
        distinct: new Set(words).size,
        alphabet: new Set(words.join("")).size,
        none: random.letters(0),
      }).toEqual({ wellFormed: true, distinct: 200, alphabet: 32, none: "" });
    });

    test("unit is in [0, 1) and reaches every tenth of it", () => {
      const { random } = sut().host;
      const draws = Array.from({ length: 1000 }, () => random.unit());
      expect({
        inRange: draws.every((draw) => draw >= 0 && draw < 1),
        tenths: new Set(draws.map((draw) => Math.floor(draw * 10))).size,
      }).toEqual({ inRange: true, tenths: 10 });
    });
  });
}
