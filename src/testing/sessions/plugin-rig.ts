// A plugin of ours as its client loads it, with a stand-in for the launcher: what it was told is kept, and it says what the test wants said.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface PluginRig extends Disposable {
  readonly directory: string;
  load(): Promise<Readonly<Record<string, unknown>>>;
  /** Each event that reached the hook, in order. */
  told(): readonly Readonly<Record<string, unknown>>[];
  /** For every event from now on; null for silence. */
  say(context: string | null): void;
}

export function pluginRig(name: string, textOf: (command: string) => string): PluginRig {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "skein-plugin-")));
  const [log, answer, program] = [join(directory, "log"), join(directory, "answer"), join(directory, name)];
  // With nothing but the shell itself, which takes a millisecond.
  const stand = `IFS= read -r told; printf '%s\\n' "$told" >>'${log}'; [ ! -f '${answer}' ] || { IFS= read -r said; printf %s "$said"; } <'${answer}'`;
  writeFileSync(program, textOf(stand));
  return {
    directory,
    load: () => import(/* @vite-ignore */ pathToFileURL(program).href),
    told: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [],
    say: (context) => (context === null ? rmSync(answer) : writeFileSync(answer, JSON.stringify({ context }))),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
