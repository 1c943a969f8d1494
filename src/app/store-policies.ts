// A file of policies for a served store, in YAML or JSON: what is frozen, what each task may change, where decisions are recorded.

import { resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { asTaskId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import { decisionPages, decisionReferences } from "../vcs/policies/decisions.ts";
import { frozenPaths } from "../vcs/policies/frozen.ts";
import type { Policy } from "../vcs/policies/policy.ts";
import { taskScope } from "../vcs/policies/scope.ts";
import type { Surroundings } from "./surroundings.ts";

export interface PoliciesError {
  readonly kind: "policies";
  readonly path: string;
  readonly message: string;
}

export interface StorePolicies {
  readonly policies: readonly Policy[];
  /** New names that differ from others only by case. */
  readonly caseOnlyNames: "refuse" | "allow";
}

const fileBytesMax = 1024 * 1024;
const globs = z.array(z.string().min(1).max(4_000)).min(1).max(1_000);

const schema = z.strictObject({
  frozen: z
    .array(
      z.strictObject({
        paths: globs,
        reason: z.string().min(1).max(2_000),
        tasks: z.array(z.string().min(1).max(1_000)).max(1_000).default([]),
      }),
    )
    .max(1_000)
    .default([]),
  scopes: z.record(z.string(), globs).default({}),
  decisions: z.strictObject({ directory: z.string().min(1).max(1_000) }).optional(),
  caseOnlyNames: z.enum(["refuse", "allow"]).default("refuse"),
});

export async function readPolicies(
  { host, cwd }: Surroundings,
  file: string,
): Promise<Result<StorePolicies, PoliciesError | FileError>> {
  const path = resolve(cwd, file);
  const bytes = await host.files.read(path, fileBytesMax);
  if (!bytes.ok) return bytes;
  const parsed = readYaml(new TextDecoder().decode(bytes.value));
  if (!parsed.ok) return err({ kind: "policies", path, message: parsed.error });
  const checked = schema.safeParse(parsed.value ?? {});
  if (!checked.success) return err({ kind: "policies", path, message: z.prettifyError(checked.error) });
  const { frozen, scopes, decisions, caseOnlyNames } = checked.data;
  const freezes = frozen.map((freeze) => ({ ...freeze, tasks: freeze.tasks.map(asTaskId) }));
  const scopeOf = new Map(Object.entries(scopes));
  const policies = [
    frozenPaths(() => freezes),
    taskScope({
      scopeOf: ({ task }) => scopeOf.get(task) ?? [],
      howToGiveReason: "say why they are needed (`reason`, or skein vcs commit --reason)",
    }),
    ...(decisions === undefined ? [] : [decisionReferences(decisionPages(decisions.directory.replace(/\/+$/, "")))]),
  ];
  return ok({ policies, caseOnlyNames });
}

function readYaml(text: string): Result<unknown, string> {
  try {
    return ok(parseYaml(text));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}
