// The tools of an agent: those that only read, and those that also change its tree and run commands.

import type { Tool } from "../agent/tool.ts";
import { bashTool } from "./bash.ts";
import { editFileTool } from "./edit-file.ts";
import type { ToolEnv } from "./env.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readFileTool } from "./read-file.ts";
import { writeFileTool } from "./write-file.ts";

export type { ToolEnv } from "./env.ts";

/** read_file, glob, grep: for those who decide and do not edit. */
export function readOnlyTools(env: ToolEnv): readonly Tool[] {
  return [readFileTool(env), globTool(env), grepTool(env)];
}

/** edit_file, write_file, bash: to be given together with the read-only ones. */
export function editingTools(env: ToolEnv): readonly Tool[] {
  return [editFileTool(env), writeFileTool(env), bashTool(env)];
}
