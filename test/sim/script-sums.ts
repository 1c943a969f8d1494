// What the demo's script costs by role when each of its rules answers once, added up from the script's text alone.

import { parse } from "yaml";
import { z } from "zod";

const usage = z.object({ inputTokens: z.number(), cachedTokens: z.number(), outputTokens: z.number() });
const scriptSchema = z.object({
  price: z.object({ inputUsdPerMtok: z.number(), cachedUsdPerMtok: z.number(), outputUsdPerMtok: z.number() }),
  rules: z.array(z.object({ role: z.enum(["planner", "worker", "arbiter"]), usage })),
});

export function sumsByRole(scriptText: string) {
  const { price, rules } = scriptSchema.parse(parse(scriptText));
  return (["planner", "worker", "arbiter"] as const).map((role) => {
    const own = rules.filter((rule) => rule.role === role).map((rule) => rule.usage);
    const total = (name: keyof z.infer<typeof usage>) => own.reduce((sum, each) => sum + each[name], 0);
    const [inputTokens, cachedTokens, outputTokens] = [
      total("inputTokens"),
      total("cachedTokens"),
      total("outputTokens"),
    ];
    const micro =
      (inputTokens - cachedTokens) * price.inputUsdPerMtok +
      cachedTokens * price.cachedUsdPerMtok +
      outputTokens * price.outputUsdPerMtok;
    return { role, requests: own.length, inputTokens, cachedTokens, outputTokens, costUsd: micro / 1e6 };
  });
}
