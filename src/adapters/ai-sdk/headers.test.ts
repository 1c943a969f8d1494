// Headers without Node's `fetch`: on all that the SDK does with them they are as Node's own.

import fc from "fast-check";
import { expect, test } from "vitest";
import { PlainHeaders } from "./headers.ts";

const name = fc.constantFrom("Accept", "accept", "X-Api-Key", "x-api-key", "b", "a", "User-Agent");
const value = fc.constantFrom("one", " two ", "three, four", "");

test("appended, set, asked for, removed and listed as Node's", () => {
  const step = fc.tuple(fc.constantFrom("append", "set", "delete"), name, value);
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.array(step, { maxLength: 6 }), name, (given, steps, asked) => {
      const both = [new PlainHeaders(given), new Headers(given)] as const;
      for (const headers of both)
        for (const [what, of, is] of steps) what === "delete" ? headers.delete(of) : headers[what as "set"](of, is);
      const [own, nodes] = both.map((headers) => ({
        all: [...headers],
        get: headers.get(asked),
        has: headers.has(asked),
        copied: [...new PlainHeaders(headers)],
      }));
      expect(own).toEqual(nodes);
    }),
  );
});
