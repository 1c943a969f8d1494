// Hooks without their process: sessions on a real disk and real git, with a table of processes and a clock that the test holds.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { syncProgramOutput } from "../../adapters/node/sync-program-output.ts";
import { unwrap } from "../../base/result.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { repositoryKey } from "../../sessions/presence/ids.ts";
import { lookAround } from "../../sessions/presence/look-around.ts";
import { findPlace } from "../../sessions/presence/place.ts";
import { type PresenceSettings, recordEvent, type StartWords } from "../../sessions/presence/record-event.ts";
import { Registry } from "../../sessions/presence/registry.ts";
import type { Row } from "../../sessions/presence/rows.ts";
import { defaultSettings } from "../../sessions/settings.ts";
import { temporaryDirectory } from "../git/real-repository.ts";
import { FakeProcessTable } from "./fake-process-table.ts";

/** 2026-11-30 12:00 UTC. */
export const rigEpochMs = Date.UTC(2026, 10, 30, 12, 0, 0);

const patienceMsMax = 60_000;

export interface RigSession {
  /** What the agent is told, null for nothing. */
  fire(action: ClientAction, event?: Partial<ClientEvent>): Promise<string | null>;
  readonly pid: number;
}

export class PresenceRig {
  readonly #place = temporaryDirectory("skein-presence-");
  readonly root = this.#place.path;
  readonly state = join(this.root, "state");
  readonly repository = join(this.root, "repository");
  readonly processes = new FakeProcessTable();
  readonly registry = new Registry(syncFiles, this.state);
  settings: PresenceSettings = defaultSettings;
  /** What sessions are told at their start beside presence. */
  readonly startWords: StartWords | null = null;
  /** Milliseconds since the epoch; each event is a second later. */
  now = rigEpochMs;
  #pids = 100;
  #events = 0;

  constructor() {
    mkdirSync(this.repository);
  }

  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
  }

  /** A session of its own process, unless another is given. */
  session(id: string, base: Partial<ClientEvent> & { readonly pid?: number } = {}): RigSession {
    const pid = base.pid ?? this.#pids++;
    if (base.pid === undefined) this.processes.start(pid, { name: base.client ?? "claude" });
    return {
      pid,
      fire: (action, event = {}) =>
        this.#fire(pid, {
          client: "claude-code",
          session: id,
          agent: null,
          cwd: this.repository,
          native: "test",
          takesContext: true,
          transcript: null,
          agentPid: null,
          sharedProcess: false,
          ...base,
          ...event,
          action,
        }),
    };
  }

  async #fire(pid: number, event: ClientEvent): Promise<string | null> {
    this.now += 1_000;
    const recorded = await recordEvent(
      {
        registry: this.registry,
        processes: this.processes,
        tools: {
          files: syncFiles,
          // What a test sees must not depend on how fast git is on a busy machine.
          programOutput: (question) => syncProgramOutput({ ...question, msMax: patienceMsMax }),
          environment: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: this.root },
        },
        settings: this.settings,
        now: this.now,
        unique: `rig-${this.#events++}`,
        parentPid: pid,
        terminal: { tmux: null },
        startWords: this.startWords,
      },
      event,
    );
    const { context, afterwards } = unwrap(recorded, "record");
    await afterwards();
    return context;
  }

  async rows(directory: string = this.repository): Promise<readonly Row[]> {
    return (await this.look(directory)).rows;
  }

  async look(directory: string = this.repository) {
    const { repository } = await findPlace(syncFiles, directory);
    const { registry, processes, now } = this;
    return lookAround({ registry, processes, now }, repositoryKey(repository));
  }

  /** Every line of every session, by the name of its directory. */
  lines(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    for (const path of readdirSync(this.state, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith("events.jsonl")) continue;
      const name = path.split("/").at(-2) ?? "";
      found.set(name, readFileSync(join(this.state, path), "utf8").trimEnd().split("\n"));
    }
    return found;
  }
}
