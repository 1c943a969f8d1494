// The tools of a lone run's agents, and what they are given.

import type { Tool } from "../agent/tool.ts";
import { editingTools, readOnlyTools, type ToolEnv } from "../tools/index.ts";
import { readSkillTool, type Skill } from "../tools/read-skill.ts";
import { ripgrepPath } from "./ripgrep.ts";
import { soloTranscript } from "./solo-facts.ts";
import type { RunDirectories } from "./state-directory.ts";
import { type Surroundings, shellEnvironment } from "./surroundings.ts";

/** In the order in which they are offered. */
export function runTools(env: ToolEnv, skills: readonly Skill[]): readonly Tool[] {
  const skill = skills.length === 0 ? [] : [readSkillTool(env.files, skills)];
  return [...readOnlyTools(env), ...editingTools(env), ...skill];
}

export async function toolEnvOf(
  { host, env }: Surroundings,
  root: string,
  directories: RunDirectories,
  secrets: readonly string[] = [],
): Promise<ToolEnv> {
  return {
    files: host.files,
    processes: host.processes,
    clock: host.clock,
    root,
    rgPath: ripgrepPath(),
    environment: shellEnvironment(env),
    spillDirectory: soloTranscript(directories).replace(/\.jsonl$/, ".outputs"),
    secrets,
  };
}

/** All that an agent of a lone run can have. */
export const TOOL_NAMES = [
  "read_file",
  "glob",
  "grep",
  "edit_file",
  "write_file",
  "bash",
  "read_skill",
  "delegate_task",
  "wait_task",
] as const;

/** How calls of the tools that a delegation adds are taken up after a crash: they find the children that they had started. */
export const delegationTools = ["delegate_task", "wait_task"].map((name) => ({
  spec: { name, description: "", inputSchema: {} },
  effect: "delegate" as const,
  resumable: true,
}));
