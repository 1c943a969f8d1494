// The events at which a person's hooks are run, with Claude Code's names (https://code.claude.com/docs/en/hooks), so that scripts written
// for it work here, and what a matcher is compared with at each of them.

export const HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "PreCompact",
  "PostCompact",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export function isHookEvent(name: string): name is HookEvent {
  return HOOK_EVENTS.some((event) => event === name);
}

/** At these, what a hook prints that is no JSON is for the model. */
export const PLAIN_OUTPUT_EVENTS: ReadonlySet<HookEvent> = new Set([
  "SessionStart",
  "UserPromptSubmit",
  "SubagentStart",
]);

/** At these, exit code 2 and `decision: "block"` keep something from happening or going on. */
export const BLOCKABLE_EVENTS: ReadonlySet<HookEvent> = new Set([
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "SubagentStop",
  "Stop",
  "PreCompact",
]);
