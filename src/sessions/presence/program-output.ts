// The ProgramOutput port on the Processes port, for processes that do other work meanwhile.

import type { Clock } from "../../host/clock.ts";
import type { Processes } from "../../host/processes.ts";
import type { ProgramOutput } from "../../host/program-output.ts";

export function outputOf({
  processes,
  clock,
}: {
  readonly processes: Processes;
  readonly clock: Pick<Clock, "after">;
}): ProgramOutput {
  return async ({ argv, cwd, env, msMax, bytesMax }) => {
    const started = await processes.spawn({ argv, cwd, env });
    if (!started.ok) return null;
    const child = started.value;
    child.endInput();
    const patience = clock.after(msMax, () => child.kill("SIGKILL"));
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      if (bytes > bytesMax) child.kill("SIGKILL");
      else chunks.push(chunk);
    }
    const exit = await child.exit;
    patience.cancel();
    return exit.kind === "code" && exit.code === 0 && bytes <= bytesMax ? Buffer.concat(chunks) : null;
  };
}
