// Addresses of servers: what is one, and what a bare host becomes.

import { expect, test } from "vitest";
import { baseUrlOf } from "./base-url.ts";

test("each kind has its own address but openai-compatible; a bare host gets the usual path", () => {
  const urls = [
    baseUrlOf("anthropic", null),
    baseUrlOf("openai", null),
    baseUrlOf("openai-chat", null),
    baseUrlOf("google", null),
    baseUrlOf("anthropic", "http://127.0.0.1:8080/"),
    baseUrlOf("google", "http://127.0.0.1:8080"),
    baseUrlOf("openai-compatible", "http://[::1]:11434"),
    baseUrlOf("openai-compatible", "https://gateway.example/team/v2/"),
  ];
  expect(urls.map((url) => (url.ok ? url.value : url.error))).toEqual([
    "https://api.anthropic.com/v1",
    "https://api.openai.com/v1",
    "https://api.openai.com/v1",
    "https://generativelanguage.googleapis.com/v1beta",
    "http://127.0.0.1:8080/v1",
    "http://127.0.0.1:8080/v1beta",
    "http://[::1]:11434/v1",
    "https://gateway.example/team/v2",
  ]);
});

test("what is no address is refused in a sentence, without the password in it", () => {
  const refused = [null, "localhost:8080", "not a url", "https://user:hunter2@host/v1", "https://host/v1?key=abc"].map(
    (given) => baseUrlOf("openai-compatible", given),
  );
  expect(refused.map((url) => (url.ok ? url.value : url.error))).toEqual([
    "an openai-compatible model needs the address of its server (--base-url http://127.0.0.1:8080/v1)",
    "the base URL must begin with http:// or https://, not localhost://",
    "the base URL is not a URL: not a url",
    "the base URL must not hold a name or password; keys come from the environment",
    "the base URL must end with its path, without ? and #",
  ]);
});
