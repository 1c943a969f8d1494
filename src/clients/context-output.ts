// The answer that Claude Code and the agents that took its hooks over read: exactly these keys, since some parse it strictly.

export function contextOutput(native: string, context: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: native, additionalContext: context } });
}
