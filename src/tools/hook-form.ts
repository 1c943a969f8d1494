// Skein's calls as hooks know them: the names and arguments of Claude Code's tools (https://code.claude.com/docs/en/hooks), so that a script
// that reads `tool_input.file_path` or `tool_input.command` finds it. Invariant: `fromHook(toHook(call))` is the call again.

import { isAbsolute, join } from "node:path";
import { relativeInside } from "./path.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface HookForm {
  /** What hooks are told first, then other names that matchers may use. */
  readonly names: readonly [string, ...string[]];
  readonly input: Fields;
  /** A shell command; null for a call that is none. */
  readonly command: string | null;
  /** Relative to the root where it lies in it; null for a call that names none. */
  readonly path: string | null;
}

/** `root` is the agent's tree: hooks get absolute paths. */
export function toHook(name: string, value: unknown, root: string): HookForm {
  const given = fieldsOf(value);
  const { path, ...others } = given;
  const absolute = typeof path === "string" ? (isAbsolute(path) ? path : join(root, path)) : path;
  const inside = typeof absolute === "string" ? (relativeInside(root, absolute) ?? absolute) : null;
  const at = absolute === undefined ? {} : { file_path: absolute };
  const found = absolute === undefined ? {} : { path: absolute };
  switch (name) {
    case "read_file":
      return form(["Read", name], { ...at, ...others }, { path: inside });
    case "write_file":
      return form(["Write", name], { ...at, ...others }, { path: inside });
    case "edit_file": {
      const { edits, ...rest } = others;
      const [only, ...more] = Array.isArray(edits) ? edits : [];
      if (only !== undefined && more.length === 0)
        return form(["Edit", name], { ...at, ...fieldsOf(only), ...rest }, { path: inside });
      return form(["MultiEdit", "Edit", name], { ...at, ...others }, { path: inside });
    }
    case "glob":
      return form(["Glob", name], { ...others, ...found }, { path: inside });
    case "grep":
      return form(["Grep", name], { ...renamed(others, GREP), ...found }, { path: inside });
    case "bash": {
      const command = typeof given.command === "string" ? given.command : null;
      return form(["Bash", name], renamed(given, BASH), { command });
    }
    case "delegate_task":
      return form(["Agent", "Task", name], delegation(given), {});
    default:
      return form([name], given, {});
  }
}

/** Arguments of the tool from those that a hook gave in their place. */
export function fromHook(name: string, value: unknown, root: string): unknown {
  const given = fieldsOf(value);
  const { file_path: file, path = file, ...others } = given;
  const inside = typeof path === "string" && isAbsolute(path) ? (relativeInside(root, path) ?? path) : path;
  const at = inside === undefined ? {} : { path: inside === "" ? "." : inside };
  switch (name) {
    case "read_file":
    case "write_file":
    case "glob":
      return { ...at, ...others };
    case "edit_file": {
      if (Array.isArray(others.edits)) return { ...at, ...others };
      const { old_string, new_string, replace_all, ...rest } = others;
      const edit = { old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) };
      return { ...at, ...rest, edits: [edit] };
    }
    case "grep":
      return { ...at, ...renamed(others, inverse(GREP)) };
    case "bash": {
      const { description: _description, ...rest } = given;
      return renamed(rest, inverse(BASH));
    }
    case "delegate_task": {
      const { prompt, description: _description, subagent_type: _type, run_in_background, ...rest } = given;
      return { task: prompt, ...rest, ...(run_in_background === undefined ? {} : { background: run_in_background }) };
    }
    default:
      return given;
  }
}

export interface HookedResult {
  readonly text: string;
  readonly cancelled: boolean;
}

/** What the call came to, as `tool_response`. */
export function responseFor(name: string, input: Fields, { text, cancelled }: HookedResult): unknown {
  switch (name) {
    case "bash":
      return { stdout: text, stderr: "", interrupted: cancelled, isImage: false };
    case "read_file":
      return { type: "text", file: { filePath: input.file_path, content: text } };
    case "write_file":
    case "edit_file":
      return { filePath: input.file_path, success: true, message: text };
    case "delegate_task":
      return { status: "completed", prompt: input.prompt, content: [{ type: "text", text }] };
    default:
      return text;
  }
}

const GREP = { case: "case", context: "-C", output: "output_mode" } as const;
const BASH = { timeout_ms: "timeout" } as const;
const descriptionCharsMax = 60;

function form(
  names: HookForm["names"],
  input: Fields,
  { command = null, path = null }: { readonly command?: string | null; readonly path?: string | null },
): HookForm {
  return { names, input, command, path };
}

function delegation({ task, background, ...others }: Fields): Fields {
  const description = typeof task === "string" ? (task.trim().split("\n")[0] ?? "").slice(0, descriptionCharsMax) : "";
  const behind = background === undefined ? {} : { run_in_background: background };
  return { description, prompt: task, subagent_type: agentType, ...behind, ...others };
}

/** What children are called in hooks: Claude Code's own agents without a special task are called so. */
export const agentType = "general-purpose";

function renamed(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]));
}

function inverse(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [theirs, ours]));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
