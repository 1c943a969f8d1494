// What is taken for a secret and what is not. The keys are made up here, after the providers' published forms.

import { expect, test } from "vitest";
import { mapStrings } from "./json.ts";
import { redactor } from "./redact.ts";

const letters = (count: number) => "aB3".repeat(count).slice(0, count);
const redact = redactor(["hunter2hunter2", "short"]);

test("keys of known forms are taken out, wherever they stand", () => {
  const keys = [
    `sk-ant-api03-${letters(40)}`,
    `sk-proj-${letters(40)}`,
    `AIza${letters(35)}`,
    `gsk_${letters(40)}`,
    `ghp_${letters(36)}`,
    `github_pat_${letters(40)}`,
    `glpat-${letters(20)}`,
    `npm_${letters(36)}`,
    `hf_${letters(34)}`,
    `xoxb-1234567890-${letters(20)}`,
    `AKIA${"A1B2".repeat(4)}`,
    `eyJ${letters(20)}.${letters(30)}.${letters(30)}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
    "hunter2hunter2",
  ];
  expect(keys.map((key) => redact(`KEY="${key}"\nnext`))).toEqual(keys.map(() => 'KEY="[redacted]"\nnext'));
});

test("of an authorization header and a URL only the secret goes; a key without its end takes the rest along", () => {
  expect(
    [
      `curl -H 'Authorization: Bearer ${letters(30)}' x`,
      "postgres://app:s3cret-word@db.example:5432/x",
      `-----BEGIN PRIVATE KEY-----\n${letters(64)}`,
    ].map(redact),
  ).toEqual([
    "curl -H 'Authorization: Bearer [redacted]' x",
    "postgres://app:[redacted]@db.example:5432/x",
    "[redacted]",
  ]);
});

test("other text is left as it is, and what is redacted stays so", () => {
  const texts = [
    "a short word, task-runner, risk-assessment-of-everything, sk-1",
    "see https://example.org/a:b@c and commit 3dfa5a7",
    "Bearer of news, Basic rules",
    "[redacted]",
  ];
  expect([texts.map(redact), redact(redact(`sk-${letters(30)}`))]).toEqual([texts, "[redacted]"]);
});

test("every string of a value is changed, names too; nothing else, and no depth harms", () => {
  let deep: unknown = "x";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const shout = (text: string) => text.toUpperCase();
  expect([
    mapStrings({ a: ["b", 1, null, true], c: { d: "e" } }, shout),
    JSON.stringify(mapStrings(deep, shout)),
  ]).toEqual([{ A: ["B", 1, null, true], C: { D: "E" } }, `${"[".repeat(200)}"[too deep]"${"]".repeat(200)}`]);
});
