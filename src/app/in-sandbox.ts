// Puts the commands of an agent into its box, where there is a sandbox.

import type { SandboxBox } from "../host/sandbox.ts";
import type { ToolEnv } from "../tools/env.ts";
import type { OpenedSandbox } from "./sandbox.ts";

/** Where the commands of an agent run: its box in the sandbox, or just the machine. */
export function inSandbox(
  { environment, ...env }: ToolEnv,
  { sandbox, box }: { readonly sandbox: OpenedSandbox; readonly box: Omit<SandboxBox, "root"> },
): ToolEnv {
  if (sandbox.kind !== "held") return { ...env, environment };
  return {
    ...env,
    environment: { ...environment, ...sandbox.sandbox.environment },
    commands: sandbox.sandbox.processesIn({ ...box, root: env.root }),
  };
}
