// Small swarms over the real protocols: the fake server that answers them, and the settings that price its models.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseScript } from "../../src/adapters/script-model/format.ts";
import { unwrap } from "../../src/base/result.ts";
import { type FakeServer, type FakeServerOptions, startFakeServer } from "../servers/server.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Rule } from "./script.ts";

export const KEY = "sk-test-0123456789abcdef";

/** What every answer says it used, unless its rule says otherwise. */
const usage = { inputTokens: 1_000, cachedTokens: 400, outputTokens: 50 };

/** `await using` closes it. */
export async function serveRules(
  rules: readonly Rule[],
  options: Omit<FakeServerOptions, "script"> = {},
): Promise<FakeServer & AsyncDisposable> {
  const text = JSON.stringify({ rules: rules.map((rule) => ({ usage, ...rule })) });
  const script = unwrap(parseScript(text, "rules.json"), "script");
  const server = await startFakeServer({ apiKey: KEY, ...options, script });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** The person's own configuration file. */
export function writeUserConfig({ home }: Sandbox, config: object): void {
  mkdirSync(join(home, ".config", "skein"), { recursive: true });
  writeFileSync(
    join(home, ".config", "skein", "config.json"),
    JSON.stringify({ sandbox: { writable: ["~"] }, ...config }),
  );
}
