// The shape of skein.config.json and of the user's config.json, once: what is checked, what it is called in errors, and
// the JSON Schema that editors get are all derived from here.

import { z } from "zod";
import { APPROVAL_MODES } from "../agent/approval/mode.ts";
import { err, type Result } from "../base/result.ts";
import type { Role } from "../model/provider.ts";
import { blockCharsRange } from "../sessions/settings.ts";
import { SANDBOX_MODES } from "./approval-settings.ts";
import { parseBaseUrl } from "./base-url.ts";
import { CHECK, count, LIMITS } from "./limit-schema.ts";
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

const RULES = z.array(z.string().min(1).max(1_000)).max(settingsMax.listed);

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
    caseOnlyNames: z
      .enum(["refuse", "allow"])
      .optional()
      .describe(
        "Whether a swarm's commits may make names that differ from others only by case. If either file says refuse, it holds. Default refuse.",
      ),
    approval: z
      .strictObject({
        mode: z
          .enum(APPROVAL_MODES)
          .optional()
          .describe("Of a repository's file and yours the stricter holds. Default full-auto."),
        allow: RULES.optional().describe("Only in your own file: what runs without asking, such as bash(npm test)."),
        deny: RULES.optional().describe("What never runs, such as bash(git push *). Those of both files hold."),
      })
      .optional()
      .describe("What agents of skein run may do without asking you."),
    sandbox: z
      .strictObject({
        mode: z.enum(SANDBOX_MODES).optional().describe("auto: where there is one; off: none. Default auto."),
        network: z.boolean().optional().describe("Whether commands reach the network. Default false."),
        writable: z
          .array(z.string().min(1).max(4_096))
          .max(settingsMax.listed)
          .optional()
          .describe("Places that commands may write beside the tree; ~ is your home."),
      })
      .optional()
      .describe("Only in your own file: what holds the shell commands of agents."),
    hooks: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "Only in your own file: commands to run at events of skein run, in the form of Claude Code's settings.",
      ),
    hookFiles: z
      .array(z.string().min(1).max(4_096))
      .max(settingsMax.listed)
      .optional()
      .describe("Only in your own file: settings files in the same form whose hooks are run, too; ~ is your home."),
    trustedHooks: z
      .record(z.string().startsWith("/"), z.string().regex(/^[0-9a-f]{64}$/, { error: "expected a SHA-256 in hex" }))
      .optional()
      .describe("Only in your own file: by repository, the SHA-256 of the .skein/hooks.json that you vouch for."),
    check: CHECK.optional().describe("The project's own test command, run on the branch at the end."),
  })
  .describe("Configuration of skein");

export type Config = z.infer<typeof CONFIG>;
export type ProviderSettings = z.infer<typeof PROVIDER>;
export type ConfigPrice = z.infer<typeof PRICE>;

/** What the JSON Schema file holds. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(CONFIG, { io: "input" }) as Record<string, unknown>;
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
