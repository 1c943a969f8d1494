// Where requests of a kind go: the provider's own address, or the one a person gave.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { AiSdkKind } from "./kinds.ts";

const urlShownChars = 200;

const OWN: Readonly<Record<AiSdkKind, string | null>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  "openai-chat": "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  "openai-compatible": null,
};

/** What a bare host is completed with: the path under which the servers of the kind serve. */
const PATHS: Readonly<Record<AiSdkKind, string>> = {
  anthropic: "/v1",
  openai: "/v1",
  "openai-chat": "/v1",
  google: "/v1beta",
  "openai-compatible": "/v1",
};

/** Without a slash at its end. The error is a sentence for a person and shows no password. */
export function baseUrlOf(kind: AiSdkKind, given: string | null): Result<string, string> {
  const text = given ?? OWN[kind];
  if (text === null)
    return err("an openai-compatible model needs the address of its server (--base-url http://127.0.0.1:8080/v1)");
  const url = URL.parse(text);
  if (url === null) return err(`the base URL is not a URL: ${cleanLine(text, urlShownChars)}`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return err(`the base URL must begin with http:// or https://, not ${cleanLine(url.protocol, urlShownChars)}//`);
  if (url.username !== "" || url.password !== "")
    return err("the base URL must not hold a name or password; keys come from the environment");
  if (url.search !== "" || url.hash !== "") return err("the base URL must end with its path, without ? and #");
  const path = url.pathname.replace(/\/+$/, "");
  return ok(`${url.origin}${path === "" ? PATHS[kind] : path}`);
}
