// Sessions that are told of memory at their start, on a real disk, with a table of processes and a clock that the test holds.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { unwrap } from "../../base/result.ts";
import { speakerOf } from "../../sessions/mcp/speaker.ts";
import { memoryAtStart } from "../../sessions/memory/at-start.ts";
import { memoryIn, noteHome, rememberHome } from "../../sessions/memory/places.ts";
import { type SaidKind, writeNote } from "../../sessions/memory/write-note.ts";
import { rowOfProcess } from "../../sessions/presence/own-row.ts";
import { PresenceRig } from "./presence-rig.ts";

export interface Said {
  readonly kind?: SaidKind;
  readonly to?: string;
  readonly subagent?: string;
}

export class MemoryRig extends PresenceRig {
  readonly memory = memoryIn(syncFiles, this.state);
  override readonly startWords = {
    of: (start: Parameters<typeof memoryAtStart>[1]) => memoryAtStart(this.memory, start),
  };

  /** As the server writes for the agent of this process; answers the file. */
  async note(pid: number, text: string, { kind = "scratchpad", to, subagent }: Said = {}): Promise<string> {
    const { repository, home, branch } = await this.home(pid, subagent ?? null);
    const note = { kind, text, to: to ?? null, branch, at: this.now };
    return unwrap(await writeNote(this.memory, repository, home, note), "note").path;
  }

  async home(pid: number, subagent: string | null = null) {
    const { registry, processes, now } = this;
    const look = (await processes.look([pid])).get(pid);
    const start = look?.kind === "running" ? look.start : null;
    const row = await rowOfProcess({ registry, processes, now }, { pid, start }, { cwd: this.repository, named: null });
    if (typeof row === "string") throw new Error(`there is no session of process ${pid}`);
    const speaker = unwrap(await speakerOf(registry, row, subagent), "speaker");
    const home = await noteHome(this.memory, speaker.repository, speaker);
    await rememberHome(this.memory, speaker.repository, { key: speaker.key, home });
    return { ...speaker, home };
  }

  /** The merged view that a block names. */
  view(block: string | null): string {
    return readFileSync(/made [^:]*:\d\d UTC: (\S+\/merged\.md)/.exec(block ?? "")?.[1] ?? "", "utf8");
  }

  /** Every file below `memory`, by its path there. */
  files(): Readonly<Record<string, string>> {
    const root = join(this.state, "memory");
    const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      paths.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(root.length + 1), readFileSync(path, "utf8")];
      }),
    );
  }
}
