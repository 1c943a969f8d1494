// `skein statusline <where>` by itself, in a file of its own: agents and tmux ask for it every few seconds. `skein.ts` and the launcher come
// here. Invariant: it never waits long for its input, and a fault costs the line and nothing else.

import { nodeClock } from "../adapters/node/clock.ts";
import { readInputObject } from "../adapters/node/read-object.ts";
import { internalError } from "../cli/fail.ts";
import { plainIo } from "../cli/plain-io.ts";
import { statusPlace } from "../cli/statusline/places.ts";
import { showStatus } from "../cli/statusline/show.ts";

/** Claude Code sends its object at once. */
const inputMsMax = 300;

for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1));
void main();

async function main(): Promise<void> {
  const { env, platform, pid, argv } = process;
  const place = statusPlace(argv.slice(3));
  // Claude Code shows colours and gives its command a pipe.
  const io = plainIo({ colors: env.NO_COLOR === undefined && place === "claude-code" });
  try {
    const own = place === "claude-code" ? await ownSession() : null;
    // Another host or container may have a process of this number at this moment.
    const unique = `${pid}-${Math.trunc(nodeClock.monotonicMs() * 1000)}`;
    const status = { io, surroundings: { env, platform }, now: nodeClock.now(), unique };
    if (place !== null) await showStatus(status, place, own);
    process.exit(io.exitCode);
  } catch (error) {
    process.exit(internalError(io, error, false));
  }
}

async function ownSession(): Promise<string | null> {
  const input = await readInputObject({ msMax: inputMsMax, platform: process.platform });
  const value = input.ok ? input.value : null;
  if (typeof value !== "object" || value === null || !("session_id" in value)) return null;
  return typeof value.session_id === "string" ? value.session_id : null;
}
