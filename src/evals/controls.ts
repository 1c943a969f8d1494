// The suite's solutions as they were run before measuring: their workspaces stay in the results (`proof/`), as controls of the checks that
// are commands.

import { join } from "node:path";
import type { Files } from "../host/files.ts";
import type { Controls } from "./checks/command.ts";
import { type Slot, slotDirectory } from "./plan.ts";
import { readVerdict } from "./results.ts";
import { conditionsOf, type SuiteSpec } from "./suite.ts";

export const proofName = "proof";
type SolutionKind = "oracle" | "wrong";

/** Null for a task that no condition has. */
export function solutionSlot(suite: SuiteSpec, task: string): Slot | null {
  const [condition] = conditionsOf(suite, task);
  return condition === undefined ? null : { task, condition: condition.name, repetition: 1 };
}

export async function controlsOf(files: Files, proof: string, suite: SuiteSpec, task: string): Promise<Controls> {
  const slot = solutionSlot(suite, task);
  if (slot === null) return { right: null, wrong: null };
  const [right, wrong] = [directoryOf(proof, "oracle", slot), directoryOf(proof, "wrong", slot)];
  const verdict = await readVerdict(files, wrong);
  const fails =
    verdict.ok && verdict.value !== null
      ? verdict.value.checks.filter(({ passed }) => !passed).map(({ name }) => name)
      : [];
  return {
    right: (await files.stat(join(right, "workspace"))).ok ? join(right, "workspace") : null,
    wrong: fails.length === 0 ? null : { workspace: join(wrong, "workspace"), fails, tried: new Set() },
  };
}

function directoryOf(proof: string, kind: SolutionKind, slot: Slot): string {
  return slotDirectory(join(proof, kind), slot);
}
