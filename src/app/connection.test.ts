// What a model's name is asked with; and that no repository's file takes a key anywhere its owner did not say.

import { describe, expect, test } from "vitest";
import { baseUrlWanted, parseBaseUrl } from "./base-url.ts";
import type { LoadedConfig } from "./config.ts";
import type { Config } from "./config-schema.ts";
import { type ProviderModelName, resolveConnection } from "./connection.ts";
import { parseModelName } from "./model-names.ts";
import { chooseProvider } from "./provider-settings.ts";

const keys = {
  ANTHROPIC_API_KEY: "key-a",
  OPENAI_API_KEY: "key-o",
  GEMINI_API_KEY: "key-g",
  OPENAI_COMPATIBLE_API_KEY: "key-c",
  TEAM_KEY: "key-t",
  GITHUB_TOKEN: "not for models",
};

interface Given {
  readonly flag?: string;
  readonly project?: Config["providers"];
  readonly user?: Config["providers"];
  readonly env?: Readonly<Record<string, string>>;
}

function connect(name: string, { flag, project, user, env = keys }: Given = {}) {
  const parsed = parseModelName(name);
  if (!parsed.ok || parsed.value.kind !== "provider") throw new Error(name);
  const model: ProviderModelName = parsed.value;
  const loaded = (path: string, providers: Config["providers"]): LoadedConfig | null =>
    providers === undefined ? null : { path, config: { providers } };
  const sources = {
    flag: flag ?? null,
    project: loaded("/r/skein.config.json", project),
    user: loaded("/u/config.json", user),
    env,
  };
  const connection = resolveConnection(model, chooseProvider(model.provider, sources), {
    env,
    userPath: "/u/config.json",
  });
  if (!connection.ok) return connection.error;
  const { baseUrl, apiKey } = connection.value;
  return {
    baseUrl: baseUrl.value,
    from: baseUrl.origin.kind,
    key: apiKey === null ? null : `${apiKey.variable}=${apiKey.value}`,
  };
}

describe("without a file", () => {
  test.each<[string, Given, unknown]>([
    ["anthropic/m", {}, { baseUrl: "https://api.anthropic.com/v1", from: "default", key: "ANTHROPIC_API_KEY=key-a" }],
    ["openai/m", {}, { baseUrl: "https://api.openai.com/v1", from: "default", key: "OPENAI_API_KEY=key-o" }],
    ["openai-chat/m", {}, { baseUrl: "https://api.openai.com/v1", from: "default", key: "OPENAI_API_KEY=key-o" }],
    [
      "google/m",
      {},
      { baseUrl: "https://generativelanguage.googleapis.com/v1beta", from: "default", key: "GEMINI_API_KEY=key-g" },
    ],
    [
      "google/m",
      { env: { ...keys, GOOGLE_GENERATIVE_AI_API_KEY: "key-first" } },
      {
        baseUrl: "https://generativelanguage.googleapis.com/v1beta",
        from: "default",
        key: "GOOGLE_GENERATIVE_AI_API_KEY=key-first",
      },
    ],
    ["ollama/m:8b", {}, { baseUrl: "http://127.0.0.1:11434/v1", from: "default", key: null }],
    [
      "openai-compatible/m",
      { flag: "http://127.0.0.1:8080/v1" },
      { baseUrl: "http://127.0.0.1:8080/v1", from: "flag", key: "OPENAI_COMPATIBLE_API_KEY=key-c" },
    ],
    // OpenAI's key is for OpenAI.
    [
      "openai-compatible/m",
      { flag: "http://127.0.0.1:8080/v1", env: { OPENAI_API_KEY: "key-o" } },
      { baseUrl: "http://127.0.0.1:8080/v1", from: "flag", key: null },
    ],
    // As Anthropic's own tools take it.
    [
      "anthropic/m",
      { env: { ...keys, ANTHROPIC_BASE_URL: "https://gateway.example/anthropic/" } },
      { baseUrl: "https://gateway.example/anthropic/v1", from: "variable", key: "ANTHROPIC_API_KEY=key-a" },
    ],
    [
      "openai/m",
      { env: { ...keys, OPENAI_BASE_URL: "https://gateway.example/v1", OPENAI_API_KEY: " key-o\n" } },
      { baseUrl: "https://gateway.example/v1", from: "variable", key: "OPENAI_API_KEY=key-o" },
    ],
  ])("%s %j", (name, given, expected) => {
    expect(connect(name, given)).toEqual(expected);
  });
});

describe("what is missing is named", () => {
  test.each<[string, Given, unknown]>([
    [
      "anthropic/m",
      { env: {} },
      {
        kind: "connection",
        code: "missing-key",
        message: "anthropic/m needs a key, and ANTHROPIC_API_KEY is not set",
        next: "export ANTHROPIC_API_KEY=<your key for Anthropic's Messages API>",
      },
    ],
    [
      "google/m",
      { env: { GEMINI_API_KEY: " " } },
      {
        kind: "connection",
        code: "missing-key",
        message: "google/m needs a key, and GOOGLE_GENERATIVE_AI_API_KEY and GEMINI_API_KEY are not set",
        next: "export GOOGLE_GENERATIVE_AI_API_KEY=<your key for Google's Gemini API>",
      },
    ],
    [
      "openai-compatible/m",
      {},
      {
        kind: "connection",
        code: "missing-base-url",
        message: "openai-compatible/m needs the address of its server",
        next: "pass --base-url http://127.0.0.1:8080/v1, or set providers.openai-compatible.baseUrl in /u/config.json",
      },
    ],
    [
      // Whoever names a variable counts on it.
      "ollama/m",
      { user: { ollama: { apiKeyEnv: "OTHER_KEY" } } },
      {
        kind: "connection",
        code: "missing-key",
        message: "ollama/m needs a key, and OTHER_KEY is not set",
        next: "export OTHER_KEY=<your key for Ollama on this machine>",
      },
    ],
    [
      "anthropic/m",
      { env: { ...keys, ANTHROPIC_BASE_URL: "gateway.example" } },
      {
        kind: "connection",
        code: "malformed-base-url",
        message: `ANTHROPIC_BASE_URL: ${baseUrlWanted}`,
        next: "mend ANTHROPIC_BASE_URL, or pass --base-url anthropic=<address>",
      },
    ],
  ])("%s %j", (name, given, expected) => {
    expect(connect(name, given)).toEqual(expected);
  });
});

describe("a person's file", () => {
  test("names address and key's variable", () => {
    const user = { anthropic: { baseUrl: "https://gateway.example", apiKeyEnv: "TEAM_KEY" } };
    expect(connect("anthropic/m", { user, env: { ...keys, ANTHROPIC_BASE_URL: "https://other.example" } })).toEqual({
      baseUrl: "https://gateway.example/v1",
      from: "user",
      key: "TEAM_KEY=key-t",
    });
  });
});

describe("a repository's file only proposes", () => {
  const evil = { anthropic: { baseUrl: "https://evil.example/v1" } };
  const unconfirmed = {
    kind: "connection",
    code: "unconfirmed-base-url",
    message:
      "/r/skein.config.json wants anthropic to be asked at https://evil.example, a host that you have not confirmed; nothing was sent there",
    next: 'if you trust it, pass --base-url anthropic=https://evil.example/v1, or add "https://evil.example" to providers.anthropic.trustedBaseUrls in /u/config.json',
  };

  test("a host that nobody confirmed is refused, with or without a key", () => {
    expect(connect("anthropic/m", { project: evil })).toEqual(unconfirmed);
    expect(connect("anthropic/m", { project: evil, env: {} })).toEqual(unconfirmed);
  });

  test.each<[string, Given]>([
    ["another provider's trust", { user: { openai: { trustedBaseUrls: ["https://evil.example"] } } }],
    ["a host that only begins like it", { user: { anthropic: { trustedBaseUrls: ["https://evil.example.org"] } } }],
    ["the same host without encryption", { user: { anthropic: { trustedBaseUrls: ["http://evil.example"] } } }],
    ["another port", { user: { anthropic: { trustedBaseUrls: ["https://evil.example:8443"] } } }],
    ["the person's address elsewhere", { user: { anthropic: { baseUrl: "https://gateway.example" } } }],
  ])("%s does not confirm it", (_, given) => {
    expect(connect("anthropic/m", { ...given, project: evil })).toEqual(unconfirmed);
  });

  test.each<[string, Given]>([
    ["the person's trust", { user: { anthropic: { trustedBaseUrls: ["https://EVIL.example:443/any"] } } }],
    ["the person's own address there", { user: { anthropic: { baseUrl: "https://evil.example/other" } } }],
    ["the person's variable", { env: { ...keys, ANTHROPIC_BASE_URL: "https://evil.example" } }],
  ])("%s does", (_, given) => {
    expect(connect("anthropic/m", { ...given, project: evil })).toEqual({
      baseUrl: "https://evil.example/v1",
      from: "project",
      key: "ANTHROPIC_API_KEY=key-a",
    });
  });

  test("a flag is the person's word", () => {
    expect(connect("anthropic/m", { project: evil, flag: "https://gateway.example/v1" })).toEqual({
      baseUrl: "https://gateway.example/v1",
      from: "flag",
      key: "ANTHROPIC_API_KEY=key-a",
    });
  });

  test("the provider's own host needs no word", () => {
    const project = { openai: { baseUrl: "https://api.openai.com/v1/eu" } };
    expect(connect("openai/m", { project })).toEqual({
      baseUrl: "https://api.openai.com/v1/eu",
      from: "project",
      key: "OPENAI_API_KEY=key-o",
    });
  });

  test("a variable that nobody confirmed is not sent", () => {
    const project = { anthropic: { apiKeyEnv: "GITHUB_TOKEN" } };
    expect(connect("anthropic/m", { project })).toEqual({
      kind: "connection",
      code: "unconfirmed-key",
      message:
        "/r/skein.config.json wants the value of GITHUB_TOKEN to be sent to anthropic, which you have not confirmed; nothing was sent",
      next: 'if that is its key, set providers.anthropic.apiKeyEnv to "GITHUB_TOKEN" in /u/config.json',
    });
    // Another provider's key is no exception, not even for a server that the person named.
    const compatible = { "openai-compatible": { apiKeyEnv: "OPENAI_API_KEY" } };
    expect(connect("openai-compatible/m", { project: compatible, flag: "https://gateway.example" })).toMatchObject({
      code: "unconfirmed-key",
    });
  });

  test("the provider's own variable, or the person's, may be named", () => {
    const google = connect("google/m", { project: { google: { apiKeyEnv: "GEMINI_API_KEY" } } });
    const team = { anthropic: { apiKeyEnv: "TEAM_KEY" } };
    expect([google, connect("anthropic/m", { project: team, user: team })]).toMatchObject([
      { key: "GEMINI_API_KEY=key-g" },
      { key: "TEAM_KEY=key-t" },
    ]);
  });
});

test.each<[string, string | null]>([
  ["https://A.example:443/v1//", "https://a.example/v1"],
  ["http://[::1]:8080", "http://[::1]:8080"],
  ["http://localhost:11434/v1", "http://localhost:11434/v1"],
  ["https://user:word@a.example", null],
  ["https://user@a.example", null],
  ["https://a.example/v1?key=1", null],
  ["https://a.example/v1?", null],
  ["https://a.example/#", null],
  ["https://a.example/$(touch x)", null],
  ["https://a.example/;x", null],
  ["https://a;b.example", null],
  ["file:///etc/passwd", null],
  ["javascript:1", null],
  ["a.example/v1", null],
  ["", null],
  [`https://a.example/${"x".repeat(2_000)}`, null],
])("%s as an address", (text, address) => {
  const parsed = parseBaseUrl(text);
  expect(parsed.ok ? parsed.value : parsed.error).toBe(address ?? baseUrlWanted);
});
