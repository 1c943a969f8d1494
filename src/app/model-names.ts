// The names people give models: `provider/model`, `script:<file>`, `replay:<directory>`. Pure; no name is guessed, but a hint is.

import { err, ok, type Result } from "../base/result.ts";
import { mostAlike } from "../base/similar.ts";
import { cleanLine } from "../base/text.ts";
import { isProviderKind, PROVIDER_KINDS, type ProviderKind } from "./provider-kinds.ts";

export type ModelName =
  | {
      readonly kind: "provider";
      readonly provider: ProviderKind;
      /** The provider's own name for it; may hold slashes and colons. */
      readonly model: string;
    }
  /** Paths as the person wrote them. */
  | { readonly kind: "script"; readonly file: string }
  | { readonly kind: "replay"; readonly directory: string };

export interface ModelNameError {
  readonly kind: "model-name";
  /** What is wrong with it, and the forms there are. */
  readonly message: string;
}

export const modelNameCharsMax = 300;

export const MODEL_FORMS = `the forms are <provider>/<model> (${PROVIDER_KINDS.join(", ")}), script:<file> and replay:<directory>`;

export function parseModelName(name: string): Result<ModelName, ModelNameError> {
  if (name.length > modelNameCharsMax)
    return refuse(`a model's name has at most ${modelNameCharsMax} characters, this one has ${name.length}`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return refuse("a model's name has no control characters");
  const [, scheme, path = ""] = /^(script|replay):(.*)$/.exec(name) ?? [];
  if (scheme !== undefined) return parsePath(scheme, path);
  const slash = name.indexOf("/");
  if (slash === -1) return refuse(`${shown(name)} names no provider`, hintOf(name));
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  if (!isProviderKind(provider)) return refuse(`${shown(provider)} is not a provider`, hintOf(name));
  if (model === "" || /\s/.test(model)) return refuse(`${shown(name)} names no model`);
  return ok({ kind: "provider", provider, model });
}

/** The name again, in the one form that everything is looked up by. */
export function modelNameText(name: ModelName): string {
  switch (name.kind) {
    case "provider":
      return `${name.provider}/${name.model}`;
    case "script":
      return `script:${name.file}`;
    case "replay":
      return `replay:${name.directory}`;
  }
}

function parsePath(scheme: string, path: string): Result<ModelName, ModelNameError> {
  if (path.trim() === "") return refuse(`${scheme}: names no ${scheme === "script" ? "file" : "directory"}`);
  return ok(scheme === "script" ? { kind: "script", file: path } : { kind: "replay", directory: path });
}

function refuse(what: string, hint: string | null = null): Result<ModelName, ModelNameError> {
  const meant = hint === null ? "" : `; did you mean ${shown(hint)}?`;
  return err({ kind: "model-name", message: `${what}${meant} (${MODEL_FORMS})` });
}

/** How alike a misspelt provider must be to its right name. */
const likenessMin = 0.5;

/** Whose models are called so. */
const FAMILIES: readonly (readonly [RegExp, ProviderKind])[] = [
  [/^claude\b/i, "anthropic"],
  [/^(gpt|o\d|chatgpt|codex)\b/i, "openai"],
  [/^gemini\b/i, "google"],
];

function hintOf(name: string): string | null {
  const [, scheme, path] = /^(script|replay)[/=](.+)$/i.exec(name) ?? [];
  if (scheme !== undefined) return `${scheme.toLowerCase()}:${path}`;
  const [, provider = "", model = ""] = /^([^/:]*)[/:]+(.*)$/.exec(name) ?? [];
  const [index] = mostAlike(provider, PROVIDER_KINDS, 1, likenessMin);
  const kind = index === undefined ? undefined : PROVIDER_KINDS[index];
  if (provider !== "" && kind !== undefined) return `${kind}/${model === "" ? "<model>" : model}`;
  const family = FAMILIES.find(([pattern]) => pattern.test(name));
  return family === undefined ? null : `${family[1]}/${name}`;
}

function shown(text: string): string {
  return text === "" ? '""' : cleanLine(text, 100);
}
