// When a hook looks at the worktree around a shell command: after others' marks were read, and beside the rest of its work.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { unwrap } from "../../base/result.ts";
import type { ProgramOutput } from "../../host/program-output.ts";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import type { ClientAction } from "../client-event.ts";
import { repositoryKey, sessionKey } from "./ids.ts";
import { findPlace } from "./place.ts";
import { recordEvent } from "./record-event.ts";

test("a command's look begins when its mark stands, and its line does not wait for the look", async () => {
  using rig = new PresenceRig();
  const git = join(rig.repository, ".git");
  for (const name of ["objects", "refs"]) mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  const session = rig.session("s1");
  await session.fire({ kind: "session-started", source: "startup" });
  const { repository } = await findPlace(syncFiles, rig.repository);
  const place = join(rig.state, "presence", repositoryKey(repository));
  const { host } = await rig.processes.machine();
  const key = sessionKey({ client: "claude-code", session: "s1", agent: null, host });
  const events = join(place, key, "events.jsonl");
  const kinds = (): readonly string[] =>
    readFileSync(events, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).kind);
  const marks = (): readonly string[] => (existsSync(join(place, ".calls")) ? readdirSync(join(place, ".calls")) : []);
  const seen: { readonly marks: readonly string[]; readonly kinds: readonly string[] }[] = [];
  const snapshots = (): number =>
    existsSync(join(place, key, "calls")) ? readdirSync(join(place, key, "calls")).length : 0;
  const programOutput: ProgramOutput = async () => {
    seen.push({ marks: marks(), kinds: kinds() });
    // As long as git takes: a turn of the loop, and everything that needs no turn is done meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push({ marks: marks(), kinds: kinds() });
    return new Uint8Array();
  };
  const fire = async (action: ClientAction): Promise<void> => {
    rig.now += 1_000;
    const recorded = await recordEvent(
      {
        registry: rig.registry,
        processes: rig.processes,
        tools: { files: syncFiles, programOutput, environment: {} },
        settings: rig.settings,
        now: rig.now,
        unique: `look-${rig.now}`,
        parentPid: session.pid,
        terminal: { tmux: null },
      },
      {
        client: "claude-code",
        session: "s1",
        agent: null,
        cwd: rig.repository,
        native: "test",
        takesContext: true,
        transcript: null,
        agentPid: null,
        sharedProcess: false,
        action,
      },
    );
    await unwrap(recorded, "record").afterwards();
  };
  await fire({ kind: "shell-started", call: "c1" });
  const [begun, over] = seen;
  expect(begun?.marks).toEqual([expect.stringMatching(new RegExp(`^${key}~[0-9a-f]{16}$`))]);
  expect([begun?.kinds.at(-1), over?.kinds.at(-1)]).toEqual(["session-started", "shell-started"]);
  expect(snapshots()).toBe(1);
  await fire({ kind: "shell-ended", call: "c1", failed: false });
  expect([seen.length, kinds().at(-1), marks(), snapshots()]).toEqual([4, "shell-ended", [key], 0]);
});
