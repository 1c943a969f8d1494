// Doctor's trial of the launcher: the very command that stands in a client's settings is run by a shell, as the client would, and asked on what
// it runs. Nothing is concluded from files alone.

import { nullable, object, type Parsed, parse, text } from "../../base/parse.ts";
import { checkCommand, launcherIn } from "../../clients/launcher-command.ts";
import { LAUNCHER_NAMES } from "../../clients/launcher-text.ts";
import { type Surroundings, variable } from "../surroundings.ts";
import { askProgram } from "./output-of.ts";
import { launcherPlaces } from "./places.ts";

const wordCharsMax = 4_096;
const faultBytesMax = 4_096;
/** Starting Node on a busy machine, and looking for one where the known one is gone. */
const checkMsMax = 20_000;

const SAID = object({
  node: text(wordCharsMax),
  version: text(wordCharsMax),
  hook: text(wordCharsMax),
  state: nullable(text(wordCharsMax)),
});

export type LauncherCheck =
  | ({ readonly kind: "runs" } & Parsed<typeof SAID>)
  | { readonly kind: "missing"; readonly launcher: string }
  /** It was started and said nothing. `fault` is its own note, or null. */
  | { readonly kind: "silent"; readonly launcher: string; readonly fault: string | null }
  | { readonly kind: "off" };

export async function checkLauncher(surroundings: Surroundings, command: string): Promise<LauncherCheck> {
  const { host, env } = surroundings;
  if (variable(env, "SKEIN_HOOKS_OFF") === "1") return { kind: "off" };
  const launcher = launcherOf(surroundings, command);
  const stat = await host.files.stat(launcher);
  if (!stat.ok || !stat.value.executable) return { kind: "missing", launcher };
  const check = checkCommand(command);
  let said: Parsed<typeof SAID> | null = null;
  if (check !== null)
    await askProgram(surroundings, {
      argv: ["/bin/sh", "-c", check],
      timeMsMax: checkMsMax,
      onLine: (line) => {
        said = saidIn(line);
        return said !== null;
      },
    });
  return said === null ? { kind: "silent", launcher, fault: await faultBeside(surroundings, launcher) } : runs(said);
}

/** What the launcher noted of its last failure; null for nothing. */
async function faultBeside({ host }: Surroundings, launcher: string): Promise<string | null> {
  const bytes = await host.files.read(
    `${launcher.slice(0, launcher.lastIndexOf("/"))}/${LAUNCHER_NAMES.fault}`,
    faultBytesMax,
  );
  return bytes.ok ? Buffer.from(bytes.value).toString("utf8").trim() : null;
}

/** The path in the command, whatever this process's own environment says; of a project's the one that the command would find here. */
function launcherOf({ env }: Surroundings, command: string): string {
  const places = launcherPlaces(env);
  return launcherIn(command) ?? (places.ok ? places.value.launcher : "");
}

function runs(said: Parsed<typeof SAID>): LauncherCheck {
  return { kind: "runs", ...said };
}

function saidIn(line: string): Parsed<typeof SAID> | null {
  try {
    const parsed = parse(SAID, JSON.parse(line), "check");
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}
