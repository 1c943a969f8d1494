// Where Copilot CLI's own files are, for whoever knows no more than a hook's environment.

import { isAbsolute, join } from "node:path";
import type { HookCall } from "../../sessions/client.ts";

/** Our hooks in Copilot's directory and in a project's `.github`. */
export const OWN_HOOKS = "hooks/skein.json";

/** The user's and the project's, absolute, whether they are there or not. */
export function ownHooksFiles({ env, cwd }: HookCall): readonly string[] {
  const directory = copilotDirectory(env);
  const project = env.COPILOT_PROJECT_DIR ?? cwd;
  return [...(directory === null ? [] : [join(directory, OWN_HOOKS)]), join(project, ".github", OWN_HOOKS)];
}

/** The file that most events do not name; null where the id is no folder's name. */
export function transcriptOf(session: string, { env }: HookCall): string | null {
  const directory = copilotDirectory(env);
  return directory !== null && /^[\w-]+$/.test(session)
    ? join(directory, "session-state", session, "events.jsonl")
    : null;
}

function copilotDirectory({ COPILOT_HOME, HOME }: HookCall["env"]): string | null {
  if (COPILOT_HOME !== undefined && isAbsolute(COPILOT_HOME)) return COPILOT_HOME;
  return HOME !== undefined && isAbsolute(HOME) ? join(HOME, ".copilot") : null;
}
