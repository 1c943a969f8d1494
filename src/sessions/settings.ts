// What of the person's configuration file concerns sessions. The command checks that file as a whole; a hook takes these few fields and
// the defaults for what is missing or wrong, since it can tell nobody.

import { isAbsolute, join } from "node:path";
import { flag, natural, object, parse } from "../base/parse.ts";
import type { PresenceSettings } from "./presence/record-event.ts";
import type { Environment } from "./state-root.ts";

export const blockCharsRange = { min: 300, max: 8_000 } as const;

const blockCharsDefault = 1_500;

export const defaultSettings: PresenceSettings = { intentFromPrompts: true, blockCharsMax: blockCharsDefault };

/** `$XDG_CONFIG_HOME/skein/config.json`, else `~/.config/skein/config.json`; null where neither variable is set. */
export function configPath(env: Environment): string | null {
  if (env.XDG_CONFIG_HOME !== undefined && isAbsolute(env.XDG_CONFIG_HOME))
    return join(env.XDG_CONFIG_HOME, "skein", "config.json");
  return env.HOME !== undefined && isAbsolute(env.HOME) ? join(env.HOME, ".config", "skein", "config.json") : null;
}

/** `text` is the file's, null where there is none. */
export function presenceSettings(text: string | null): PresenceSettings {
  const sessions = sessionsPart(text);
  const intent = parse(object({ intentFromPrompts: flag }), sessions, "sessions");
  const block = parse(object({ blockChars: natural() }), sessions, "sessions");
  const chars = block.ok ? block.value.blockChars : blockCharsDefault;
  return {
    intentFromPrompts: intent.ok ? intent.value.intentFromPrompts : defaultSettings.intentFromPrompts,
    blockCharsMax: Math.min(Math.max(chars, blockCharsRange.min), blockCharsRange.max),
  };
}

function sessionsPart(text: string | null): unknown {
  if (text === null) return null;
  try {
    const parsed = parse(object({ sessions: (value) => value }), JSON.parse(text.replace(/^\ufeff/, "")), "config");
    return parsed.ok ? parsed.value.sessions : null;
  } catch {
    return null;
  }
}
