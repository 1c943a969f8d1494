// Known keys go out of text and bytes, in every form in which they are written, and nothing else does.

import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesWithoutSecrets, SecretFilter, textWithoutSecrets, writtenForms } from "./secrets.ts";

test("in bytes that come in pieces a key is removed wherever the pieces are cut, and nothing else is changed", () => {
  const part = fc.constantFrom("sk-secret-0123", "sk-secret-", "0123", "sk-", "väärä-avain", "vää", "\n", "x");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(160), { maxLength: 8 }), (parts, cuts) => {
      const whole = parts.join("");
      const bytes = Buffer.from(whole);
      const filter = new SecretFilter(["sk-secret-0123", "väärä-avain", "x"]);
      const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
      const out = Buffer.concat([...pieces.map((piece) => filter.take(piece)), filter.end()]).toString();
      const hidden = "[key removed]";
      expect(out).toBe(whole.replaceAll("sk-secret-0123", hidden).replaceAll("väärä-avain", hidden));
    }),
  );
});

test("of keys of which one begins another the longer one is removed whole", () => {
  const filter = new SecretFilter(["sk-secret", "sk-secret-0123"]);
  const out = Buffer.concat([
    filter.take(Buffer.from("a sk-secret")),
    filter.take(Buffer.from("-0123 sk-secret")),
    filter.end(),
  ]);
  expect(out.toString()).toBe("a [key removed] [key removed]");
});

test("a key is found as it is, as JSON writes it, and percent-encoded", () => {
  const key = 'a"b\\c/d+e=0123';
  const forms = writtenForms([key]);
  const written = ['{"k":"a\\"b\\\\c/d+e=0123"}', "?k=a%22b%5Cc%2Fd%2Be%3D0123", key];
  expect(written.map((text) => textWithoutSecrets(text, forms))).toEqual([
    '{"k":"[key removed]"}',
    "?k=[key removed]",
    "[key removed]",
  ]);
  expect(Buffer.from(bytesWithoutSecrets(Buffer.from(written.join("\n")), forms)).toString()).toBe(
    '{"k":"[key removed]"}\n?k=[key removed]\n[key removed]',
  );
});
