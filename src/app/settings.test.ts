// Who wins: flags, variables, the repository's file, the person's, defaults; and what a repository's file may not do.

import { describe, expect, test } from "vitest";
import type { LoadedConfig } from "./config.ts";
import type { Config } from "./config-schema.ts";
import { modelNameText } from "./model-names.ts";
import { originText } from "./origin.ts";
import type { SettingSources } from "./setting-sources.ts";
import { resolveSettings, type Settings } from "./settings.ts";

const project = (config: Config): LoadedConfig => ({ path: "/r/skein.config.json", config });
const user = (config: Config): LoadedConfig => ({ path: "/u/config.json", config });

function resolve(sources: Partial<SettingSources>) {
  return resolveSettings({
    flags: {},
    project: null,
    user: null,
    env: {},
    cwd: "/r/sub",
    roles: ["planner", "worker", "arbiter"],
    ...sources,
  });
}

function settings(sources: Partial<SettingSources>): Settings {
  const resolved = resolve(sources);
  if (!resolved.ok) throw new Error(resolved.error.message);
  return resolved.value;
}

function models(sources: Partial<SettingSources>) {
  const { roles } = settings(sources);
  return Object.entries(roles).map(([role, { model }]) =>
    model === null ? `${role}: none` : `${role}: ${modelNameText(model.value)} (${originText(model.origin)})`,
  );
}

test("nothing named: no models, the defaults of a run, no budget", () => {
  const { roles, limits, prices, projectPrices, check, notes } = settings({});
  const none = { model: null, maxOutputTokens: null, contextTokens: null };
  const byDefault = (value: number) => ({ value, origin: { kind: "default" } });
  expect({ roles, limits, prices, projectPrices, check, notes }).toEqual({
    roles: { solo: none, child: none, planner: none, worker: none, arbiter: none },
    limits: {
      budgetUsd: null,
      requests: byDefault(5_000),
      tasks: byDefault(1_000),
      depth: byDefault(3),
      minutes: null,
      workers: byDefault(4),
    },
    prices: new Map(),
    projectPrices: new Map(),
    check: null,
    notes: [],
  });
});

describe("models", () => {
  const files = {
    project: project({ model: "ollama/p", roles: { worker: { model: "ollama/pw" } } }),
    user: user({ model: "ollama/u", roles: { solo: { model: "ollama/us" }, planner: { model: "ollama/up" } } }),
  };

  test("a level wins as a whole over the next, and in it a role over what is for all", () => {
    expect(models({ ...files, flags: { planner: "ollama/fp" } })).toEqual([
      "solo: ollama/p (/r/skein.config.json)",
      "child: ollama/p (/r/skein.config.json)",
      "planner: ollama/fp (--planner)",
      "worker: ollama/pw (/r/skein.config.json)",
      "arbiter: ollama/p (/r/skein.config.json)",
    ]);
  });

  test("SKEIN_MODEL is beneath flags and above files", () => {
    expect(models({ ...files, env: { SKEIN_MODEL: "ollama/e" }, flags: { worker: "ollama/fw" } })).toEqual([
      "solo: ollama/e (SKEIN_MODEL)",
      "child: ollama/e (SKEIN_MODEL)",
      "planner: ollama/e (SKEIN_MODEL)",
      "worker: ollama/fw (--worker)",
      "arbiter: ollama/fw (--worker)",
    ]);
  });

  test("the person's file counts where the repository's is silent; arbiters are a worker's kind", () => {
    const silent = { project: project({ roles: { worker: { model: "ollama/pw" } } }), user: files.user };
    expect(models(silent)).toEqual([
      "solo: ollama/us (/u/config.json)",
      "child: ollama/u (/u/config.json)",
      "planner: ollama/up (/u/config.json)",
      "worker: ollama/pw (/r/skein.config.json)",
      "arbiter: ollama/pw (/r/skein.config.json)",
    ]);
  });

  test("--model is every role's", () => {
    expect(models({ ...files, flags: { model: "anthropic/m" } })).toEqual(
      ["solo", "child", "planner", "worker", "arbiter"].map((role) => `${role}: anthropic/m (--model)`),
    );
  });

  test("a file of answers is relative to who names it", () => {
    const named = { flags: { planner: "script:a.yaml" }, user: user({ model: "replay:kept" }) };
    expect(models(named).slice(0, 3)).toEqual([
      "solo: replay:/u/kept (/u/config.json)",
      "child: replay:/u/kept (/u/config.json)",
      "planner: script:/r/sub/a.yaml (--planner)",
    ]);
  });

  test("children ask the lone agent's model unless they, or all, have one", () => {
    const lone = project({ roles: { solo: { model: "ollama/s" } } });
    expect([
      models({ project: lone })[1],
      models({ project: project({ model: "ollama/m", roles: { solo: { model: "ollama/s" } } }) })[1],
      models({ project: lone, flags: { child: "ollama/c" } })[1],
    ]).toEqual([
      "child: ollama/s (/r/skein.config.json)",
      "child: ollama/m (/r/skein.config.json)",
      "child: ollama/c (--child)",
    ]);
  });

  test("options stand beside the model, from whichever file names them first", () => {
    const { roles } = settings({
      flags: { model: "ollama/x" },
      project: project({ roles: { worker: { maxOutputTokens: 8_000 } } }),
      user: user({ roles: { worker: { maxOutputTokens: 4_000 }, planner: { maxOutputTokens: 2_000 } } }),
    });
    expect([roles.worker.maxOutputTokens, roles.planner.maxOutputTokens, roles.solo.maxOutputTokens]).toEqual([
      { value: 8_000, origin: { kind: "project", path: "/r/skein.config.json" } },
      { value: 2_000, origin: { kind: "user", path: "/u/config.json" } },
      null,
    ]);
  });

  test("a wrong name is said with its flag", () => {
    const resolved = resolve({ flags: { worker: "gpt-4o" } });
    expect(resolved.ok ? "" : resolved.error.message).toMatch(
      /^--worker: gpt-4o names no provider; did you mean openai\/gpt-4o\?/,
    );
  });
});

describe("limits", () => {
  const limit = (flags: SettingSources["flags"], theirs: number | undefined, own: number | undefined) => {
    const files = {
      project: project(theirs === undefined ? {} : { limits: { budgetUsd: theirs } }),
      user: user(own === undefined ? {} : { limits: { budgetUsd: own } }),
    };
    const { limits, notes } = settings({ flags, ...files });
    return [limits.budgetUsd?.value, limits.budgetUsd && originText(limits.budgetUsd.origin), notes];
  };
  const note =
    "limits.budgetUsd: /r/skein.config.json says 50, your own file 5; the smaller holds (--budget sets another)";

  test.each<[string, SettingSources["flags"], number | undefined, number | undefined, unknown[]]>([
    ["a flag wins over both", { budgetUsd: 100 }, 5, 10, [100, "--budget", []]],
    ["a repository may tighten", {}, 5, 50, [5, "/r/skein.config.json", []]],
    ["it may not loosen, and that is said", {}, 50, 5, [5, "/u/config.json", [note]]],
    ["alone it holds", {}, 5, undefined, [5, "/r/skein.config.json", []]],
    ["the person's alone too", {}, undefined, 5, [5, "/u/config.json", []]],
  ])("%s", (_, flags, theirs, own, expected) => {
    expect(limit(flags, theirs, own)).toEqual(expected);
  });

  test.each<[SettingSources["flags"], string]>([
    [{ budgetUsd: 0 }, "--budget: Too small: expected number to be >0"],
    [{ requests: 1.5 }, "--max-requests: expected a whole number"],
    [{ workers: 1_001 }, "--workers: Too big: expected number to be <=1000"],
    [{ depth: Number.NaN }, "--max-depth: expected a whole number"],
    [{ minutes: Number.POSITIVE_INFINITY }, "--max-minutes: expected number, received Infinity"],
    [{ check: "  " }, "--check: Too small: expected string to have >=1 characters"],
  ])("%j is held to what a file is", (flags, message) => {
    expect(resolve({ flags })).toEqual({ ok: false, error: { kind: "settings", message } });
  });
});

test("prices and check keep whose they are", () => {
  const { prices, projectPrices, check } = settings({
    project: project({ prices: { "ollama/a": { input: 0, output: 0 } }, check: "make test" }),
    user: user({ prices: { "openai/b": { input: 2, cached: 0.5, cacheWrite: 2.5, output: 8 } }, check: "npm test" }),
  });
  expect({ prices, projectPrices, check }).toEqual({
    prices: new Map([
      ["openai/b", { inputUsdPerMtok: 2, cachedUsdPerMtok: 0.5, cacheWriteUsdPerMtok: 2.5, outputUsdPerMtok: 8 }],
    ]),
    projectPrices: new Map([["ollama/a", { inputUsdPerMtok: 0, cachedUsdPerMtok: 0, outputUsdPerMtok: 0 }]]),
    check: { value: "make test", origin: { kind: "project", path: "/r/skein.config.json" } },
  });
});

describe("--base-url", () => {
  const flags = { planner: "anthropic/p", worker: "openai-compatible/w" };
  const addresses = (baseUrls: readonly string[], models: SettingSources["flags"]) => {
    const resolved = resolve({ flags: { ...models, baseUrls } });
    if (!resolved.ok) return resolved.error.message;
    return Object.entries(resolved.value.providers).flatMap(([provider, { baseUrl }]) =>
      baseUrl.kind === "known" && baseUrl.origin.kind === "flag" ? [`${provider}: ${baseUrl.value}`] : [],
    );
  };

  test.each<[string, readonly string[], SettingSources["flags"], readonly string[] | string]>([
    [
      "bare, it is the compatible server's",
      ["http://127.0.0.1:1/v1/"],
      flags,
      ["openai-compatible: http://127.0.0.1:1/v1"],
    ],
    [
      "or that of the only provider",
      ["http://127.0.0.1:1/v1"],
      { model: "google/g" },
      ["google: http://127.0.0.1:1/v1"],
    ],
    [
      "a provider can be named",
      ["anthropic=http://127.0.0.1:1", "http://127.0.0.1:2/v1"],
      flags,
      ["anthropic: http://127.0.0.1:1", "openai-compatible: http://127.0.0.1:2/v1"],
    ],
    [
      "it is not guessed among several",
      ["http://127.0.0.1:1"],
      { planner: "anthropic/p", worker: "openai/w" },
      "--base-url: the models are of anthropic and openai: say which is meant, for example anthropic=<url>",
    ],
    [
      "nor without a provider",
      ["http://a.example"],
      { model: "script:a" },
      "--base-url: no model of this command is asked over the network",
    ],
    [
      "a misspelt provider",
      ["antropic=http://a.example"],
      flags,
      "--base-url: antropic is not a provider (anthropic, openai, openai-chat, google, openai-compatible, ollama)",
    ],
    [
      "two for one",
      ["http://a.example", "openai-compatible=http://b.example"],
      flags,
      "--base-url: names two addresses for openai-compatible",
    ],
    [
      "what is no address",
      ["127.0.0.1:8080"],
      flags,
      "--base-url: expected an address such as https://models.example/v1: http or https, without user name, key, ? or #",
    ],
  ])("%s", (_, baseUrls, models, expected) => {
    expect(addresses(baseUrls, models)).toEqual(expected);
  });
});

test("names that differ only by case are allowed where a file says so and neither refuses", () => {
  const of = (sources: Parameters<typeof settings>[0]) => settings(sources).caseOnlyNames;
  const allow = { caseOnlyNames: "allow" } as const;
  const refuse = { caseOnlyNames: "refuse" } as const;
  expect([
    of({}),
    of({ project: project(allow) }),
    of({ user: user(allow) }),
    of({ project: project(allow), user: user(refuse) }),
    of({ project: project(refuse), user: user(allow) }),
  ]).toEqual(["refuse", "allow", "allow", "refuse", "refuse"]);
});
