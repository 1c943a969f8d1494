// Queries the search service, which answers later the more shards it asks.
import { post } from "../http.js";
import { BASE_TIMEOUT_MS } from "./limits.js";

export const TIMEOUT_MS = BASE_TIMEOUT_MS + 350;

export function query(text, options = {}) {
  return post("/search/query", { text }, { timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
}
