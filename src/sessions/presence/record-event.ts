// One event of a client, from what is known to one line in the session's file and the words for its agent.
// Invariant: exactly one line is appended, with one write, to a file that only this session's processes write to.

import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { ProcessTable } from "../../host/process-table.ts";
import type { StartedLook } from "../../host/started-look.ts";
import type { ClientEvent } from "../client-event.ts";
import { findAgentProcess } from "./agent-process.ts";
import { cleanUp } from "./clean-up.ts";
import { factsOf, sameFacts, type Terminal } from "./facts.ts";
import { homeFor } from "./home.ts";
import type { RepositoryKey, SessionKey } from "./ids.ts";
import type { Facts, NewLine, Standing } from "./line.ts";
import { callName, contentOf, type LineContent } from "./line-content.ts";
import { lookAround, type Seen } from "./look-around.ts";
import { findPlace, type Place } from "./place.ts";
import type { Registry } from "./registry.ts";
import { isKnown, isSameAgent, type Row } from "./rows.ts";
import type { Ends } from "./running.ts";
import { appendLine, isLagging, type ReadSession, writeSummary } from "./session-file.ts";
import type { ShellCalls } from "./shell-call.ts";
import { wordsFor } from "./words-for.ts";
import { knownLook, type LookTools, lookAtWorktree, newLook, type WorktreeLook } from "./worktree-look.ts";

export interface PresenceSettings {
  /** The person's prompt, shortened and redacted, says what the session is for. */
  readonly intentFromPrompts: boolean;
  readonly blockCharsMax: number;
}

/** What a session is told beside presence when it begins anew, by whoever keeps more of it than presence. */
export interface StartWords {
  of(start: SessionStart): Promise<{ readonly text: string; readonly afterwards: () => Promise<void> }>;
}

export interface SessionStart {
  readonly repository: RepositoryKey;
  readonly key: SessionKey;
  /** Names that the same agent had before in the same process, oldest first. */
  readonly earlier: readonly SessionKey[];
  readonly branch: string | null;
  /** A subagent's id within its session. */
  readonly subagent: string | null;
  readonly directory: string;
  readonly now: number;
  readonly unique: string;
}

export interface Recording {
  readonly registry: Registry;
  readonly processes: ProcessTable;
  readonly tools: LookTools;
  /** A look that was begun before this process; absent or null where there is none. */
  readonly started?: StartedLook | null;
  readonly settings: PresenceSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Tells this process's temporary files from another's. */
  readonly unique: string;
  /** Where the search for the agent's process begins: the hook's parent, or the agent itself. */
  readonly parentPid: number;
  readonly terminal: Terminal;
  /** Null where there is nothing more to be told. */
  readonly startWords?: StartWords | null;
}

export interface Recorded {
  /** For the agent, where the client takes it and there is something to say. */
  readonly context: string | null;
  /** What may be done after the agent has its answer: caches and cleaning. */
  readonly afterwards: () => Promise<void>;
}

/** All that the parts of a line are made from. */
export interface Moment {
  readonly event: ClientEvent;
  readonly now: number;
  readonly before: ReadSession;
  readonly facts: Facts;
  readonly place: Place;
  /** Null where the event's directory is of another repository than the session: then it says nothing of the session's. */
  readonly standing: Standing | null;
  readonly calls: ShellCalls;
  readonly settings: PresenceSettings;
  /** Who is here, read once and only if asked for. */
  readonly around: () => Promise<Seen>;
  /** Others' rows of those that have touched one of these files. */
  readonly othersOfFiles: (paths: readonly string[]) => Promise<readonly Row[]>;
  /** Of those, the ones with a shell command that runs, or ended since `before` was looked at. */
  readonly aroundCommands: (before: Ends) => Promise<Seen>;
  /** Tells others that a command begins; answers what is to be compared at its end. */
  readonly beginCommand: (call: string) => Promise<Beginning>;
  /** The same for a command that is to be compared anew from here on. */
  readonly goOnWithCommand: () => Promise<Beginning>;
  readonly endCommand: (call: string | null) => Promise<void>;
  /** What else is told at a start; null for nothing. */
  readonly startWords: () => Promise<string | null>;
  /** Goes on while the line is written, and is over before the event is. */
  readonly meanwhile: (work: Promise<void>) => void;
}

/** What a command begins with. */
export interface Beginning {
  /** When others' commands had ended last, before the look. */
  readonly ends: Ends;
  /** What changes from then on may be the command's. Milliseconds since the epoch. */
  readonly from: number;
  readonly look: Promise<WorktreeLook>;
}

export async function recordEvent(recording: Recording, event: ClientEvent): Promise<Result<Recorded, FileError>> {
  const { registry, processes, tools, now } = recording;
  const { files } = registry;
  const { kind } = event.action;
  const [machine, place] = [await processes.machine(), await findPlace(files, event.cwd)];
  const started = await startedHere(recording, place, event.cwd);
  const looking = { ...tools, started };
  const lookNow = once(() => lookAtWorktree(looking, place));
  // Where git does not hold this process up, the rest is found out meanwhile. What the command did it did before this event, and who
  // else ran is asked after the look.
  if (kind === "shell-ended" && place.head !== null) void lookNow();
  const home = await homeFor(registry, { event, place, host: machine.host, now });
  if (!home.ok) return home;
  const { directory, repository, key } = home.value;
  const beginning = async (): Promise<Beginning> => {
    const ends = await registry.running.ends(repository);
    const seen = await knownLook(tools, place);
    if (seen !== null) return { ends, from: now, look: Promise.resolve(seen) };
    const begun = started?.notBefore() ?? null;
    if (begun === null) return { ends, from: now, look: newLook(tools, place) };
    // That look began before the mark, too: whoever has ended since then may have changed a file after it.
    const before = Object.entries(ends).filter(([, at]) => at < begun);
    return { ends: Object.fromEntries(before), from: begun, look: newLook(looking, place) };
  };
  const beginCommand = onceFor(async (call) => {
    await registry.running.begin(repository, key, call);
    return beginning();
  });
  if (event.action.kind === "shell-started") await beginCommand(callName(event.action.call));
  const found = await findAgentProcess(processes, {
    parent: recording.parentPid,
    hint: event.agentPid,
    exact: event.tellsOwnPid === true,
  });
  const read = await registry.read(repository, key);
  if (!read.ok) return read;
  const before = read.value;
  const facts = factsOf(event, { known: before.fold.facts, machine, found, place, terminal: recording.terminal });
  const lookAt = (only: readonly SessionKey[] | null): Promise<Seen> =>
    lookAround({ registry, processes, now, machine }, repository, only);
  const later: (() => Promise<void>)[] = [];
  const meanwhile: Promise<void>[] = [];
  const moment: Moment = {
    event,
    now,
    before,
    facts,
    place,
    standing: facts.repository === place.repository ? standingOf(place) : null,
    calls: { files, tools, directory, lookNow },
    settings: recording.settings,
    around: once(() => lookAt(null)),
    othersOfFiles: async (paths) => {
      const touchers = await registry.touchers.of(repository, paths);
      // Most files are nobody else's.
      return touchers.some((toucher) => toucher !== key) ? othersRows(await lookAt(touchers), facts) : [];
    },
    aroundCommands: async (before) => lookAt(await registry.running.since(repository, before)),
    beginCommand,
    goOnWithCommand: beginning,
    endCommand: (call) => registry.running.end(repository, key, call),
    startWords: async () => {
      if (!recording.startWords) return null;
      const branch = (moment.standing ?? before.fold.standing)?.branch ?? null;
      const earlier = facts.agent === null ? formerNames(await moment.around(), facts, key) : [];
      const start = {
        repository,
        key,
        earlier,
        branch,
        subagent: facts.agent,
        directory,
        now,
        unique: recording.unique,
      };
      const { text, afterwards } = await recording.startWords.of(start);
      later.push(afterwards);
      return text;
    },
    meanwhile: (work) => void meanwhile.push(work),
  };
  const content = await contentOf(moment);
  await registry.touchers.mark(repository, newPaths(content, before), key);
  const words = await wordsFor(moment, content);
  const appended = await appendLine(files, directory, lineOf(moment, content, words.told, words.untold), before);
  await Promise.all(meanwhile);
  if (!appended.ok) return appended;
  return ok({
    context: words.text,
    afterwards: async () => {
      await afterwards(recording, moment, directory);
      for (const work of later) await work();
      await tools.known?.keep();
    },
  });
}

/** Null where it is of another worktree: a client may tell of another directory than the one that it starts hooks in. */
async function startedHere(
  { started, registry }: Recording,
  { head, worktree }: Place,
  cwd: string,
): Promise<StartedLook | null> {
  if (!started || head === null) return null;
  const isHere =
    started.directory === cwd || (await findPlace(registry.files, started.directory)).worktree === worktree;
  return isHere ? started : null;
}

/** Of the same process under other ids, before `/clear` or a resume. */
function formerNames({ sessions }: Seen, own: Facts, key: SessionKey): readonly SessionKey[] {
  const same = sessions.filter(isKnown).filter(({ fold }) => fold.facts.agent === null && isSameAgent(fold.facts, own));
  return same
    .filter((session) => session.key !== key)
    .toSorted((a, b) => a.fold.firstAt - b.fold.firstAt)
    .map((session) => session.key);
}

/** The rows of others: neither this session, nor another of its process, nor its own subagents. */
export function othersRows({ rows }: Seen, own: Facts): readonly Row[] {
  return rows.filter(({ facts }) => !isSameAgent(facts, own));
}

function lineOf(
  { event, now, before, facts, standing }: Moment,
  content: LineContent,
  told: readonly string[],
  untold: boolean | null,
): NewLine {
  const isNew = standing !== null && JSON.stringify(standing) !== JSON.stringify(before.fold.standing);
  return {
    at: now,
    kind: event.action.kind,
    facts: before.fold.facts !== null && sameFacts(before.fold.facts, facts) ? null : facts,
    standing: isNew ? standing : null,
    untold,
    ...content,
    told: told.length === 0 ? null : told,
  };
}

/** Marked before it is looked at who else has: of two at the same moment one sees the other. */
function newPaths({ files, how }: LineContent, { fold }: ReadSession): readonly string[] {
  if (files === undefined || files === null || how === "unattributed") return [];
  const known = new Set(fold.files.flatMap((touch) => (touch.how === "unattributed" ? [] : [touch.path])));
  return files.filter((path) => !known.has(path));
}

function standingOf({ worktree, head }: Place): Standing {
  return { worktree, branch: head?.branch ?? null, commit: head?.commit ?? null };
}

async function afterwards({ registry, now, unique }: Recording, moment: Moment, directory: string): Promise<void> {
  const { before } = moment;
  // A session that waits is read by others for long: then it leaves them little to fold.
  const rests = ["turn-ended", "interrupted", "session-ended"].includes(moment.event.action.kind);
  if (rests || isLagging(before)) await writeSummary(registry.files, directory, before, unique);
  if (moment.event.action.kind !== "session-started") return;
  const seen = await moment.around();
  await seen.remember(unique);
  await cleanUp(registry, seen, { now, unique });
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => (result ??= work());
}

/** There is one name in an event. */
function onceFor<T>(work: (name: string) => Promise<T>): (name: string) => Promise<T> {
  let result: Promise<T> | null = null;
  return (name) => (result ??= work(name));
}
