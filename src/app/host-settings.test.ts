// The line that a worker host is started with: whole or refused, and never repeated in an error.

import { expect, test } from "vitest";
import { encodeHostSettings, type HostSettingsLine, readHostSettings } from "./host-settings.ts";
import type { PlannedModel } from "./model-plan.ts";
import { fromWire, toWire } from "./model-wire.ts";

const key = "sk-test-0123456789abcdef";
const provider: PlannedModel = {
  kind: "provider",
  name: "google/gemini",
  provider: "google",
  model: "gemini",
  baseUrl: "https://models.example/v1beta",
  apiKey: key,
  price: {
    inputUsdPerMtok: 1.25,
    cachedUsdPerMtok: 0.125,
    outputUsdPerMtok: 10,
    tiers: [
      {
        inputTokensAbove: 200_000,
        inputUsdPerMtok: 2.5,
        cachedUsdPerMtok: 0.25,
        cacheWriteUsdPerMtok: 3,
        outputUsdPerMtok: 15,
      },
    ],
  },
};
const models: readonly PlannedModel[] = [
  provider,
  { ...provider, name: "ollama/q", provider: "ollama", apiKey: null, price: null },
  { kind: "script", name: "script:/s.yaml", file: "/s.yaml" },
  { kind: "replay", name: "replay:/r", directory: "/r" },
];
const line: HostSettingsLine = {
  directories: { run: "/r", workspaces: "/r/w", agents: "/r/a", blobs: "/r/b" },
  ignoreTexts: ["*.o\n"],
  models: models.map(toWire),
  secrets: [key],
  limits: { requestsPerMinute: 20, agentsMax: 10, askedLately: false },
  overlay: { demote: ["unshare", "--user", "--"] },
  sandbox: null,
  record: null,
};

const inputOf = async function* (bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
};

test("what is written is read, prices with their tiers included, however it is cut into pieces", async () => {
  const read = await readHostSettings(inputOf(encodeHostSettings(line), 7));
  expect(read).toEqual({ ok: true, value: line });
  expect(read.ok && read.value.models.map(fromWire)).toEqual(models);
});

test.each([
  ["nothing", "", "the settings on standard input are not whole"],
  ["half a line", JSON.stringify(line).slice(0, 300), "the settings on standard input are not whole"],
  ["no JSON", `${key}\n`, "the settings on standard input are no JSON"],
  [
    "a wrong field",
    `{"directories": {"run": "/r", "workspaces": "${key.repeat(1_000)}"}}\n`,
    "settings.directories.workspaces: expected a string of at most 4096 characters",
  ],
])("%s is refused without repeating it", async (_, text, error) => {
  expect(await readHostSettings(inputOf(Buffer.from(text), 64))).toEqual({ ok: false, error });
});
