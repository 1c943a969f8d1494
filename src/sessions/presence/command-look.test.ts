// When a hook looks at the worktree around a shell command: after others' marks were read, and beside the rest of its work.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { unwrap } from "../../base/result.ts";
import type { ProgramOutput } from "../../host/program-output.ts";
import type { StartedLook } from "../../host/started-look.ts";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import type { ClientAction } from "../client-event.ts";
import { repositoryKey, sessionKey } from "./ids.ts";
import { findPlace } from "./place.ts";
import { recordEvent } from "./record-event.ts";

interface Firing {
  readonly session: string;
  readonly pid: number;
  readonly programOutput: ProgramOutput;
  readonly started?: StartedLook | null;
  readonly stat?: (typeof syncFiles)["stat"];
}

async function fireIn(
  rig: PresenceRig,
  { session, pid, programOutput, started = null, stat = syncFiles.stat }: Firing,
  action: ClientAction,
): Promise<void> {
  const recorded = await recordEvent(
    {
      registry: rig.registry,
      processes: rig.processes,
      tools: { files: { ...syncFiles, stat }, programOutput, environment: {} },
      started,
      settings: rig.settings,
      now: rig.now,
      unique: `${session}-${rig.now}`,
      parentPid: pid,
      terminal: { tmux: null },
    },
    {
      client: "claude-code",
      session,
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
}

function makeGit(rig: PresenceRig): void {
  const git = join(rig.repository, ".git");
  for (const name of ["objects", "refs"]) mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
}

/** One that was begun before the hook, and found nothing changed. */
function cleanLook({ repository }: PresenceRig, notBefore: number | null): StartedLook {
  return {
    directory: repository,
    notBefore: () => notBefore,
    output: async () => ({ kind: "whole", bytes: new Uint8Array() }),
    drop: () => {},
  };
}

/** As the session has recorded it. */
async function lastLine(rig: PresenceRig, session: string) {
  const { repository } = await findPlace(syncFiles, rig.repository);
  const { host } = await rig.processes.machine();
  const key = sessionKey({ client: "claude-code", session, agent: null, host });
  const events = join(rig.state, "presence", repositoryKey(repository), key, "events.jsonl");
  return JSON.parse(readFileSync(events, "utf8").trimEnd().split("\n").at(-1) ?? "");
}

interface OtherEnd {
  /** Milliseconds after the look was begun; negative for before. */
  readonly afterMs: number;
  readonly notBefore: boolean;
}

/** How the second session's command is told, where a command of the first ended about when the second's look was begun. */
async function toldAfter({ afterMs, notBefore }: OtherEnd): Promise<object> {
  using rig = new PresenceRig();
  makeGit(rig);
  const [first, second] = [rig.session("s1"), rig.session("s2")];
  for (const session of [first, second]) await session.fire({ kind: "session-started", source: "startup" });
  let status = "";
  let asked = 0;
  const programOutput: ProgramOutput = async () => {
    asked += 1;
    return Buffer.from(status);
  };
  const fire = (session: typeof first, action: ClientAction, started: StartedLook | null = null) =>
    fireIn(rig, { session: session === first ? "s1" : "s2", pid: session.pid, programOutput, started }, action);
  rig.now = Date.now();
  await fire(first, { kind: "shell-started", call: "c1" });
  rig.now = Date.now();
  await fire(first, { kind: "shell-ended", call: "c1", failed: false });
  const ended = rig.now;
  const begun = ended - afterMs;
  rig.now = ended + 50;
  asked = 0;
  const started = cleanLook(rig, notBefore ? begun : null);
  await fire(second, { kind: "shell-started", call: "c2" }, started);
  const askedBefore = asked;
  while (Date.now() <= rig.now) await new Promise((resolve) => setTimeout(resolve, 10));
  writeFileSync(join(rig.repository, "made.txt"), "made");
  status = "?? made.txt\0";
  rig.now += 1_000;
  await fire(second, { kind: "shell-ended", call: "c2", failed: false });
  const last = await lastLine(rig, "s2");
  return { files: last.files, how: last.how, from: last.from - begun, askedBefore };
}

test("P35 a look that was begun before its mark: another's command that ended after that makes the change nobody's", async () => {
  const files = ["made.txt"];
  expect([
    await toldAfter({ afterMs: 80, notBefore: true }),
    await toldAfter({ afterMs: -2_000, notBefore: true }),
    // It cannot be told when it was begun: the hook looks itself, after its mark.
    await toldAfter({ afterMs: 80, notBefore: false }),
  ]).toEqual([
    { files, how: "unattributed", from: 0, askedBefore: 0 },
    { files, how: "shell", from: 0, askedBefore: 0 },
    { files, how: "shell", from: 130, askedBefore: 1 },
  ]);
});

test("P35 what changed after a look was begun and before the hook was there is no command's", async () => {
  using rig = new PresenceRig();
  makeGit(rig);
  const { pid, fire } = rig.session("s1");
  await fire({ kind: "session-started", source: "startup" });
  const programOutput: ProgramOutput = async () => Buffer.from("?? by-person.txt\0?? by-command.txt\0");
  const begun = Date.now();
  writeFileSync(join(rig.repository, "by-person.txt"), "saved while Node started");
  await new Promise((resolve) => setTimeout(resolve, 50));
  rig.now = Date.now();
  const started = cleanLook(rig, begun);
  await fireIn(rig, { session: "s1", pid, programOutput, started }, { kind: "shell-started", call: "c1" });
  writeFileSync(join(rig.repository, "by-command.txt"), "made");
  rig.now = Date.now() + 10;
  await fireIn(rig, { session: "s1", pid, programOutput }, { kind: "shell-ended", call: "c1", failed: false });
  const last = await lastLine(rig, "s1");
  expect([last.kind, last.files, last.how]).toEqual(["shell-ended", ["by-command.txt"], "shell"]);
});

test("P35 where a file system knows whole seconds alone, a command's change is told all the same", async () => {
  using rig = new PresenceRig();
  makeGit(rig);
  const { pid, fire } = rig.session("s1");
  await fire({ kind: "session-started", source: "startup" });
  const second = Math.floor(Date.now() / 1_000) * 1_000;
  const stat: Firing["stat"] = async (path) => {
    const found = await syncFiles.stat(path);
    return found.ok ? { ok: true, value: { ...found.value, changedMs: second } } : found;
  };
  const programOutput: ProgramOutput = async () => Buffer.from("?? made.txt\0");
  const started = cleanLook(rig, second - 500);
  const shared = { session: "s1", pid, programOutput, stat };
  // A second began while Node started.
  rig.now = second + 300;
  await fireIn(rig, { ...shared, started }, { kind: "shell-started", call: "c1" });
  writeFileSync(join(rig.repository, "made.txt"), "made");
  rig.now += 1_000;
  await fireIn(rig, shared, { kind: "shell-ended", call: "c1", failed: false });
  const last = await lastLine(rig, "s1");
  expect([last.kind, last.files, last.how]).toEqual(["shell-ended", ["made.txt"], "shell"]);
});

test("a command's look begins when its mark stands, and its line does not wait for the look", async () => {
  using rig = new PresenceRig();
  makeGit(rig);
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
  const fire = (action: ClientAction): Promise<void> => {
    rig.now += 1_000;
    return fireIn(rig, { session: "s1", pid: session.pid, programOutput }, action);
  };
  await fire({ kind: "shell-started", call: "c1" });
  const [begun, over] = seen;
  expect(begun?.marks).toEqual([expect.stringMatching(new RegExp(`^${key}~[0-9a-f]{16}$`))]);
  expect([begun?.kinds.at(-1), over?.kinds.at(-1)]).toEqual(["session-started", "shell-started"]);
  expect(snapshots()).toBe(1);
  await fire({ kind: "shell-ended", call: "c1", failed: false });
  expect([seen.length, kinds().at(-1), marks(), snapshots()]).toEqual([4, "shell-ended", [key], 0]);
});
