// What the table that comes with the program says of a model: its price and its window. Loading the table takes longer than all else before
// a run's first request, so what it said today is kept with the caches. Invariant: a kept answer is of this table, this model and this
// day; what cannot be kept or read is asked for again.

import { isAbsolute, join } from "node:path";
import { lookupKey, tableVersion } from "../adapters/genai-prices/table-version.ts";
import { list, nullable, object, type Parsed, type Parser, parse, real, text } from "../base/parse.ts";
import type { Files } from "../host/files.ts";
import type { PricedModel } from "../model/price-table.ts";
import type { Price } from "../model/usage.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export interface ListedModel {
  /** Null where the table does not know it for certain. */
  readonly price: Price | null;
  /** Tokens of input and output together; null where the table does not know them. */
  readonly contextTokens: number | null;
}

const keptMax = 100;
const fileBytesMax = 1024 * 1024;

const optional = (value: unknown, at: string): number | undefined =>
  value === undefined ? undefined : real(value, at);
const rates = {
  inputUsdPerMtok: real,
  cachedUsdPerMtok: real,
  cacheWriteUsdPerMtok: optional,
  outputUsdPerMtok: real,
};
const tier = object({ inputTokensAbove: real, ...rates });
const price: Parser<Price> = (value, at) => {
  const {
    cacheWriteUsdPerMtok: write,
    tiers,
    ...known
  } = object({
    ...rates,
    tiers: (given, below) => (given === undefined ? undefined : list(tier, 100)(given, below)),
  })(value, at);
  return {
    ...known,
    ...(write === undefined ? {} : { cacheWriteUsdPerMtok: write }),
    ...(tiers === undefined ? {} : { tiers: tiers.map(whole) }),
  };
};
const kept = object({
  version: text(200),
  /** UTC, since prices change at midnight. */
  day: text(10),
  models: list(object({ key: text(10_000), price: nullable(price), contextTokens: nullable(real) }), keptMax),
});
type Kept = Parsed<typeof kept>;

/** JSON has no undefined. */
function whole({ cacheWriteUsdPerMtok: write, ...others }: Parsed<typeof tier>) {
  return write === undefined ? others : { ...others, cacheWriteUsdPerMtok: write };
}

export async function listedModel(
  { host: { files }, env }: Pick<Surroundings, "host" | "env">,
  model: PricedModel,
  atMs: number,
): Promise<ListedModel> {
  const path = await placeIn(files, env);
  const day = new Date(atMs).toISOString().slice(0, 10);
  const before = path === null ? null : await readKept(files, path, day);
  const key = lookupKey(model);
  const known = before?.models.find((one) => one.key === key);
  if (known !== undefined) return { price: known.price, contextTokens: known.contextTokens };
  const [{ genaiPrices }, { contextWindow }] = await Promise.all([
    import("../adapters/genai-prices/price-table.ts"),
    import("../adapters/genai-prices/context-window.ts"),
  ]);
  const listed = { price: genaiPrices.price(model, atMs), contextTokens: contextWindow(model, atMs) };
  const models = [...(before?.models ?? []), { key, ...listed }].slice(-keptMax);
  if (path !== null) await write(files, path, { version: tableVersion, day, models });
  return listed;
}

/** Null where there is no place for caches. */
async function placeIn(files: Files, env: Surroundings["env"]): Promise<string | null> {
  const caches = variable(env, "XDG_CACHE_HOME");
  const base = caches ?? variable(env, "HOME");
  // A relative place would be one in somebody's repository, and a home that is not there is not ours to make.
  if (base === null || !isAbsolute(base) || !(await files.stat(base)).ok) return null;
  return join(base, ...(caches === null ? [".cache"] : []), "skein", "models.json");
}

async function readKept(files: Files, path: string, day: string): Promise<Kept | null> {
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(kept, JSON.parse(Buffer.from(bytes.value).toString("utf8")), "models.json");
    return parsed.ok && parsed.value.version === tableVersion && parsed.value.day === day ? parsed.value : null;
  } catch {
    return null;
  }
}

async function write(files: Files, path: string, content: Kept): Promise<void> {
  const made = await files.makeDirectory(join(path, ".."), { private: true });
  // Of two that write at once one wins; what the other found out is found out again.
  const fresh = `${path}.new`;
  const written = made.ok ? await files.write(fresh, Buffer.from(JSON.stringify(content)), { private: true }) : made;
  if (written.ok) await files.rename(fresh, path);
}
