// The `hooks` of a settings file in Claude Code's form: event → groups with a matcher → commands. What cannot be run here is left out and
// said, never passed over in silence: a hook may be somebody's guard.

import { z } from "zod";
import { cleanLine } from "../../base/text.ts";
import { HOOK_EVENTS, type HookEvent, isHookEvent } from "./hook-event.ts";

export interface HookCommand {
  readonly event: HookEvent;
  /** Empty matches everything. */
  readonly matcher: string;
  readonly command: string;
  /** Without a shell, where they are given. */
  readonly args: readonly string[] | null;
  readonly timeoutMs: number;
  /** Nobody waits for it, and what it prints is not read. */
  readonly background: boolean;
  /** A permission rule, `Tool(pattern)`: it runs only for calls that it may cover; null for all. */
  readonly condition: string | null;
  /** The file that it stands in, for people. */
  readonly source: string;
}

export interface HookList {
  readonly commands: readonly HookCommand[];
  /** What was left out and why, a sentence each. */
  readonly notes: readonly string[];
}

export const NO_HOOKS: HookList = { commands: [], notes: [] };

const commandsMax = 200;
const notesMax = 20;
const textCharsMax = 10_000;
const timeoutMsMax = 60 * 60_000;
const timeoutMsDefault = 600_000;
/** A person waits for these before anything begins, or after everything is over. */
const TIMEOUTS_MS: Partial<Record<HookEvent, number>> = { UserPromptSubmit: 30_000, SessionEnd: 5_000 };

const COMMAND = z.object({
  type: z.literal("command"),
  command: z.string().min(1).max(textCharsMax),
  args: z.array(z.string().max(textCharsMax)).max(100).optional(),
  timeout: z.number().positive().optional(),
  async: z.boolean().optional(),
  if: z.string().max(textCharsMax).optional(),
});
const GROUP = z.object({
  matcher: z.string().max(textCharsMax).optional(),
  hooks: z.array(z.unknown()),
});

/** `value` is what stands under `hooks`; `source` names the file. */
export function readHooks(value: unknown, source: string): HookList {
  const notes: string[] = [];
  const leave = (what: string): readonly HookCommand[] => {
    notes.push(`${source}: ${cleanLine(what, 300)}`);
    return [];
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    leave("hooks: an object with an event's name for each list is needed; nothing of it is run");
    return { commands: [], notes };
  }
  const commands = Object.entries(value).flatMap(([event, groups]) => {
    if (!isHookEvent(event))
      return leave(
        `hooks.${event}: this event does not happen here, and is left out; those that do: ${HOOK_EVENTS.join(", ")}`,
      );
    const list = z.array(z.unknown()).safeParse(groups);
    if (!list.success) return leave(`hooks.${event}: it is no list of {matcher, hooks}, and is left out`);
    return list.data.flatMap((group, index) => {
      const parsed = GROUP.safeParse(group);
      // The others may be guards.
      if (!parsed.success)
        return leave(`hooks.${event}[${index}]: it is not of the form {matcher, hooks}, and is left out`);
      const { matcher = "", hooks } = parsed.data;
      return hooks.flatMap(
        (hook) => commandOf(hook, { event, matcher, source }) ?? leave(`hooks.${event}: ${reasonFor(hook)}`),
      );
    });
  });
  if (commands.length > commandsMax) leave(`hooks: only the first ${commandsMax} commands are run`);
  const more = notes.length - notesMax;
  const told = more > 0 ? [...notes.slice(0, notesMax), `${source}: ${more} more hooks are left out`] : notes;
  return { commands: commands.slice(0, commandsMax), notes: told };
}

function commandOf(
  hook: unknown,
  at: Pick<HookCommand, "event" | "matcher" | "source">,
): readonly HookCommand[] | null {
  const parsed = COMMAND.safeParse(hook);
  if (!parsed.success) return null;
  const { command, args = null, timeout, async = false, if: condition = null } = parsed.data;
  // Seconds in the file.
  const timeoutMs = Math.min(
    timeoutMsMax,
    timeout === undefined ? (TIMEOUTS_MS[at.event] ?? timeoutMsDefault) : timeout * 1_000,
  );
  return [{ ...at, command, args, timeoutMs, background: async, condition }];
}

function reasonFor(hook: unknown): string {
  const type = z.object({ type: z.string() }).safeParse(hook).data?.type;
  return type === undefined || type === "command"
    ? "a hook without a sound command is left out"
    : `a hook of type "${type}" is left out: only commands are run here`;
}
