// The text of a configuration file: checked as a whole, or refused with every problem named.
// Invariant: a repository's file cannot bring its own answers or its own trust, and no key is taken from any file.

import { err, ok, type Result } from "../base/result.ts";
import { fieldText, keysBelongElsewhere, problemsMax, schemaProblems } from "./config-problems.ts";
import { CONFIG, type Config } from "./config-schema.ts";
import { holdsKey } from "./key-forms.ts";
import { parseModelName } from "./model-names.ts";

/** `project` is untrusted: the repository may be somebody else's. */
export type ConfigScope = "project" | "user";

export interface ConfigError {
  readonly kind: "config";
  readonly path: string;
  /** For a person, one problem each, with the field and what is allowed. */
  readonly problems: readonly string[];
}

const looksLikeKey = `holds what looks like a key; ${keysBelongElsewhere}`;
const pathPartsMax = 10;

/** Checks the text of a file; `path` only names it in errors. */
export function parseConfig(text: string, path: string, scope: ConfigScope): Result<Config, ConfigError> {
  const refuse = (problems: readonly string[]): Result<Config, ConfigError> => err({ kind: "config", path, problems });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (thrown) {
    return refuse([`is not valid JSON${placeOf(thrown, text)}; comments and trailing commas are not allowed`]);
  }
  const content = contentProblems(value);
  if (content.length > 0) return refuse(content);
  const parsed = CONFIG.safeParse(value);
  if (!parsed.success) return refuse(schemaProblems(CONFIG, parsed.error));
  const forbidden = scope === "project" ? projectProblems(parsed.data) : [];
  return forbidden.length > 0 ? refuse(forbidden) : ok(parsed.data);
}

/** Node's own message quotes the text, which may hold a key: only the place in it is kept. */
function placeOf(thrown: unknown, text: string): string {
  const position = thrown instanceof Error ? /at position (\d+)/.exec(thrown.message)?.[1] : undefined;
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

/** What must not be in a file wherever it stands. Not recursive: the depth of an unchecked file is anybody's. */
function contentProblems(value: unknown): readonly string[] {
  const found: string[] = [];
  const left: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: here, path } = next;
    const field = fieldText(path) || "the file";
    if (typeof here === "string" && holdsKey(here)) found.push(`${field}: ${looksLikeKey}`);
    if (typeof here !== "object" || here === null) continue;
    for (const [name, inner] of Object.entries(here).reverse()) {
      if (holdsKey(name)) found.push(`a name in ${field}: ${looksLikeKey}`);
      // The schema library passes over it without a word.
      else if (name === "__proto__") found.push(`a name in ${field}: __proto__ is not a setting`);
      // Paths of what the schema will refuse anyway need not be whole.
      else left.push({ value: inner, path: path.length < pathPartsMax ? [...path, name] : path });
    }
  }
  return found.slice(0, problemsMax);
}

function projectProblems({
  model,
  roles,
  providers,
  sessions,
  approval,
  sandbox,
  hooks,
  hookFiles,
  trustedHooks,
}: Config): readonly string[] {
  const models = [
    ["model", model] as const,
    ...Object.entries(roles ?? {}).map(([role, options]) => [`roles.${role}.model`, options?.model] as const),
  ];
  const answers = models.flatMap(([field, name]) => {
    const parsed = name === undefined ? null : parseModelName(name);
    return parsed?.ok && parsed.value.kind !== "provider"
      ? [
          `${field}: a repository's file cannot name ${parsed.value.kind}: answers, since they act with your rights; use a flag`,
        ]
      : [];
  });
  const trust = Object.entries(providers ?? {}).flatMap(([provider, settings]) =>
    settings?.trustedBaseUrls === undefined
      ? []
      : [
          `providers.${provider}.trustedBaseUrls: a repository cannot vouch for a host; this belongs into your own file`,
        ],
  );
  const own =
    sessions === undefined
      ? []
      : ["sessions: a repository cannot decide what others see of you; this belongs into your own file"];
  const hooked = Object.entries({ hooks, hookFiles, trustedHooks }).flatMap(([field, value]) =>
    value === undefined
      ? []
      : [
          `${field}: a repository's hooks stand in its .skein/hooks.json and are run once you vouch for them; this belongs into your own file`,
        ],
  );
  const allowed = [
    approval?.allow === undefined
      ? null
      : "approval.allow: a repository cannot allow itself anything; this belongs into your own file",
    sandbox === undefined ? null : "sandbox: a repository cannot open its own; this belongs into your own file",
  ].filter((problem) => problem !== null);
  return [...answers, ...trust, ...own, ...hooked, ...allowed];
}
