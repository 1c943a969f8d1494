// Addresses of model servers: what is one, and when two are the same server.

import { err, ok, type Result } from "../base/result.ts";
import type { ProviderKind } from "./provider-kinds.ts";

const baseUrlCharsMax = 2_000;

/** Says what is allowed, never what was written: an address may hold a key. */
export const baseUrlWanted =
  "expected an address such as https://models.example/v1: http or https, without user name, key, ? or #";

/** Nothing that a shell or a terminal would read as more than text: addresses are shown to be copied. */
const plainHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
const plainPath = /^[A-Za-z0-9._~%@:+/-]*$/;

/** The address without a slash at its end. */
export function parseBaseUrl(text: string): Result<string, string> {
  if (text.length > baseUrlCharsMax || !URL.canParse(text)) return err(baseUrlWanted);
  const url = new URL(text);
  const bare = url.username === "" && url.password === "" && !/[?#]/.test(text);
  const plain = bare && plainHost.test(url.hostname) && plainPath.test(url.pathname);
  if (!plain || (url.protocol !== "https:" && url.protocol !== "http:")) return err(baseUrlWanted);
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, "")}`);
}

/** Scheme, host and port: who gets what is sent there. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

/**
 * The address that requests are made from. Anthropic's own tools take ANTHROPIC_BASE_URL without the `/v1` that follows
 * it in every request, so both spellings mean the same.
 */
export function requestBaseUrl(kind: ProviderKind, baseUrl: string): string {
  return kind === "anthropic" && !baseUrl.endsWith("/v1") ? `${baseUrl}/v1` : baseUrl;
}
