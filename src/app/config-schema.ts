// The shape of skein.config.json and of the user's config.json, once: what is checked, what it is called in errors, and
// the JSON Schema that editors get are all derived from here.

import { z } from "zod";
import { err, type Result } from "../base/result.ts";
import type { Role } from "../model/provider.ts";
import { blockCharsRange } from "../sessions/settings.ts";
import { parseBaseUrl } from "./base-url.ts";
import { type ModelName, parseModelName } from "./model-names.ts";
import type { ProviderKind } from "./provider-kinds.ts";
import { settingsMax } from "./settings-max.ts";

const MODEL = checked(z.string(), parseModelText).describe(
  "Model, for example anthropic/claude-haiku-4-5, openai/gpt-5.6-sol or ollama/qwen3:8b.",
);
const BASE_URL = checked(z.string(), parseBaseUrl);
const KEY_VARIABLE = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
    error: "expected the name of an environment variable such as MY_API_KEY (capitals, digits, _), never a key itself",
  })
  .describe("Name of the environment variable that holds the key. Never the key itself.");
const RATE = z.number().min(0).max(settingsMax.usdPerMtok);

const PRICE = z
  .strictObject({
    input: RATE.describe("Input tokens."),
    cached: RATE.optional().describe("Input tokens read from the provider's cache; like input if left out."),
    cacheWrite: RATE.optional().describe("Input tokens written to the provider's cache; like input if left out."),
    output: RATE.describe("Output tokens."),
  })
  .describe("US dollars per million tokens.");

const ROLE = z.strictObject({
  model: MODEL.optional(),
  maxOutputTokens: count(settingsMax.outputTokens).optional().describe("Output tokens of one model request."),
  contextTokens: count(settingsMax.contextTokens)
    .optional()
    .describe("Tokens of the model's window, input and output together, where the built-in table does not know it."),
});

const PROVIDER = z.strictObject({
  baseUrl: BASE_URL.optional().describe(
    "Where the provider is asked. In a repository's file it holds only if you have confirmed its host.",
  ),
  apiKeyEnv: KEY_VARIABLE.optional(),
  trustedBaseUrls: z
    .array(BASE_URL)
    .max(settingsMax.listed)
    .optional()
    .describe("Only in your own file: hosts that a repository's baseUrl may name."),
});

/** All in one place, so that a flag and a file are held to the same. */
export const LIMITS = z.strictObject({
  budgetUsd: z.number().positive().max(settingsMax.budgetUsd).optional().describe("US dollars of a whole run."),
  requests: count(settingsMax.requests).optional().describe("Model requests of a whole run."),
  tasks: count(settingsMax.tasks).optional().describe("Tasks of a whole run."),
  depth: count(settingsMax.depth).optional().describe("Levels of planners."),
  minutes: z.number().positive().max(settingsMax.minutes).optional().describe("Time of a whole run."),
  workers: count(settingsMax.workers).optional().describe("Workers at the same time."),
});

export const CHECK = z.string().trim().min(1).max(settingsMax.checkChars);

export const CONFIG = z
  .strictObject({
    $schema: z.string().optional().describe("Where this schema lies, for editors."),
    model: MODEL.optional().describe("Model of every role that names none."),
    // A role or provider that is added to the program does not compile until it has its settings.
    roles: z
      .strictObject({
        solo: ROLE.optional(),
        child: ROLE.optional(),
        planner: ROLE.optional(),
        worker: ROLE.optional(),
        arbiter: ROLE.optional(),
      } satisfies Record<Role, z.ZodType>)
      .optional()
      .describe(
        "Model and options by role; arbiters take the workers' and children the solo agent's unless they, or model, name another.",
      ),
    providers: z
      .strictObject({
        anthropic: PROVIDER.optional(),
        openai: PROVIDER.optional(),
        "openai-chat": PROVIDER.optional(),
        google: PROVIDER.optional(),
        "openai-compatible": PROVIDER.optional(),
        ollama: PROVIDER.optional(),
      } satisfies Record<ProviderKind, z.ZodType>)
      .optional()
      .describe("Where providers are asked and which variables hold their keys."),
    prices: z
      .record(checked(z.string(), parsePricedName), PRICE)
      .optional()
      .describe("Prices by provider/model, for what the built-in table does not know or has wrong."),
    limits: LIMITS.optional().describe("What a run may use. Of a repository's file and yours the smaller holds."),
    sessions: z
      .strictObject({
        intentFromPrompts: z
          .boolean()
          .optional()
          .describe(
            "Only in your own file: other sessions see your last prompt, shortened and redacted. Default true.",
          ),
        blockChars: z
          .int({ error: "expected a whole number" })
          .min(blockCharsRange.min)
          .max(blockCharsRange.max)
          .optional()
          .describe("Only in your own file: characters that a session is told of others at its start. Default 1500."),
      })
      .optional()
      .describe("What agent sessions tell each other. A repository's file cannot set it."),
    workspaces: z
      .enum(["auto", "copy"])
      .optional()
      .describe(
        "How a swarm's workers get their files: auto mounts overlays where the system can; copy never does. If either file says copy, it holds.",
      ),
    check: CHECK.optional().describe("The project's own test command, run on the branch at the end."),
  })
  .describe("Configuration of skein");

export type Config = z.infer<typeof CONFIG>;
export type ProviderSettings = z.infer<typeof PROVIDER>;
export type ConfigPrice = z.infer<typeof PRICE>;
export type LimitName = keyof z.infer<typeof LIMITS>;

/** What the JSON Schema file holds. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(CONFIG, { io: "input" }) as Record<string, unknown>;
}

function count(max: number) {
  // Undefined leaves other errors their own words.
  const error = ({ code }: { readonly code: string }) =>
    code === "invalid_type" ? "expected a whole number" : undefined;
  return z.int({ error }).min(1).max(max);
}

/** A text that a parser of ours accepts; its refusal is the error. */
function checked(schema: z.ZodString, parse: (text: string) => Result<unknown, string>) {
  return schema.superRefine((text, context) => {
    const parsed = parse(text);
    if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.error });
  });
}

function parseModelText(text: string): Result<ModelName, string> {
  const parsed = parseModelName(text);
  return parsed.ok ? parsed : err(parsed.error.message);
}

function parsePricedName(text: string): Result<ModelName, string> {
  const parsed = parseModelText(text);
  if (!parsed.ok || parsed.value.kind === "provider") return parsed;
  return err(`prices are for models of providers, not for ${parsed.value.kind}:`);
}
