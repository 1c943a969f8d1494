// What the table of models says, kept from one start to the next. The window and the prices are copied by hand from the package's data file
// (@pydantic/genai-prices 0.1.8).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tableVersion } from "../adapters/genai-prices/table-version.ts";
import { nodeHost } from "../adapters/node/host.ts";
import type { PricedModel } from "../model/price-table.ts";
import { listedModel } from "./listed-model.ts";

let caches = "";
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), "skein-listed-"));
});
afterEach(() => rmSync(caches, { recursive: true, force: true }));

const haiku = { provider: "anthropic", model: "claude-haiku-4-5", baseUrl: "https://api.anthropic.com/v1" };
const listed = {
  price: { inputUsdPerMtok: 1, cachedUsdPerMtok: 0.1, cacheWriteUsdPerMtok: 1.25, outputUsdPerMtok: 5 },
  contextTokens: 200_000,
};
const day = (date: string) => Date.parse(`${date}T12:00:00Z`);
const look = (model: PricedModel = haiku, date = "2026-09-01") =>
  listedModel({ host: nodeHost(), env: { XDG_CACHE_HOME: caches } }, model, day(date));
const file = () => join(caches, "skein", "models.json");

test("the kept answer is the table's, of one day, and a model that the table does not know stays unknown", async () => {
  const unknown = { ...haiku, model: "claude-of-tomorrow" };
  expect([await look(), await look(unknown), await look(), await look(unknown)]).toEqual([
    listed,
    { price: null, contextTokens: null },
    listed,
    { price: null, contextTokens: null },
  ]);
  const kept = JSON.parse(readFileSync(file(), "utf8"));
  expect([kept.version, kept.day, kept.models.length]).toEqual([tableVersion, "2026-09-01", 2]);
  // What is kept is what is answered, and only on its day.
  kept.models[0].contextTokens = 7;
  writeFileSync(file(), JSON.stringify(kept));
  expect([(await look()).contextTokens, (await look(haiku, "2026-09-02")).contextTokens]).toEqual([7, 200_000]);
});

test.each(["", "{", '{"version":"another"}', '{"version":1,"day":"2026-09-01","models":[]}'])(
  "a file that is damaged or another version's is not believed: %j",
  async (text) => {
    await look();
    writeFileSync(file(), text);
    expect(await look()).toEqual(listed);
  },
);

test("prices of large requests are kept as they are", async () => {
  const luna = { provider: "openai-chat", model: "gpt-5.6-luna", baseUrl: null };
  const date = "2026-07-30";
  const [fresh, again] = [await look(luna, date), await look(luna, date)];
  expect(again).toEqual(fresh);
  expect(fresh.price?.tiers).toEqual([
    {
      inputTokensAbove: 271_999,
      inputUsdPerMtok: 0.4,
      cachedUsdPerMtok: 0.04,
      cacheWriteUsdPerMtok: 0.5,
      outputUsdPerMtok: 1.8,
    },
  ]);
});

test("the version that is kept with the answers is the installed package's", () => {
  const path = join(import.meta.dirname, "..", "..", "package.json");
  const { dependencies } = JSON.parse(readFileSync(path, "utf8"));
  expect(tableVersion).toBe(`@pydantic/genai-prices ${dependencies["@pydantic/genai-prices"]}`);
});
