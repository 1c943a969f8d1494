// The sessions of a repository as people and agents are shown them: one row for each agent that a person sees, with its verdict.
// Invariant: sessions of one process are one row, a subagent stands under its parent, and reading this changes nothing.

import type { Machine, ProcessLook } from "../../host/process-table.ts";
import type { ClientName } from "../client-event.ts";
import { type Owner, Reports } from "./attribution.ts";
import type { Fold, Touch } from "./fold.ts";
import { type SessionKey, shortName } from "./ids.ts";
import type { Facts, Standing } from "./line.ts";
import { isSameStart, type Liveness, livenessOf } from "./liveness.ts";
import type { FoundSession } from "./registry.ts";
import type { SessionState, Turn } from "./session-state.ts";

export interface Row {
  readonly key: SessionKey;
  readonly client: ClientName;
  readonly session: string;
  readonly agent: string | null;
  /** As it is called in lists. */
  readonly name: string;
  readonly liveness: Liveness;
  readonly state: SessionState;
  /** What hooks told of its turns; `state` differs from it only where it ran in two processes. */
  readonly turn: Turn;
  readonly standing: Standing | null;
  readonly intent: Fold["intent"];
  /** Surely this session's, newest first. */
  readonly files: readonly Touch[];
  readonly filesForgotten: number;
  /** Changed while more than one session's commands ran, or while nobody looked: anybody's. */
  readonly unattributed: readonly Touch[];
  readonly firstAt: number;
  readonly lastAt: number;
  readonly facts: Facts;
  /** Workers behind it; null where it is no swarm. */
  readonly crew: number | null;
  /** Sessions that went before it in the same process: after `/clear`, a resume, a compaction. */
  readonly earlier: readonly SessionKey[];
  readonly subagents: readonly Row[];
}

export interface Around {
  readonly machine: Machine;
  readonly looks: ReadonlyMap<number, ProcessLook>;
  readonly now: number;
}

/** What a session record names; a record without it was torn at its beginning. */
export type KnownSession = FoundSession & Owner;

export function rowsOf(sessions: readonly FoundSession[], around: Around): readonly Row[] {
  const known = sessions.filter(isKnown);
  const own = known.filter(({ fold }) => fold.facts.agent === null);
  const context: Context = { ...around, reports: new Reports(known), children: childrenOf(known) };
  const rows = groupsOf(own).map((group) => mergedRow(group, context));
  const parents = new Set(own.map(({ fold }) => sessionName(fold.facts)));
  // A subagent whose parent has no record of its own is shown as what it is, by itself.
  const orphans = known.filter(({ fold: { facts } }) => facts.agent !== null && !parents.has(sessionName(facts)));
  return [...rows, ...orphans.map((orphan) => plainRow(orphan, context))];
}

interface Context extends Around {
  readonly reports: Reports;
  readonly children: ReadonlyMap<string, readonly KnownSession[]>;
}

function childrenOf(known: readonly KnownSession[]): ReadonlyMap<string, readonly KnownSession[]> {
  const withAgent = known.filter(({ fold }) => fold.facts.agent !== null);
  return Map.groupBy(withAgent, ({ fold }) => sessionName(fold.facts));
}

function sessionName({ client, session, machine }: Facts): string {
  return `${client} ${session} ${machine.host}`;
}

export function isKnown(session: FoundSession): session is KnownSession {
  return session.fold.facts !== null;
}

/** Sessions of one client in one process, oldest first in each group. */
function groupsOf(sessions: readonly KnownSession[]): readonly (readonly KnownSession[])[] {
  const groups: KnownSession[][] = [];
  const byProcess = new Map<string, KnownSession[][]>();
  for (const session of sessions.toSorted((a, b) => a.fold.lastAt - b.fold.lastAt)) {
    const { client, process, machine } = session.fold.facts;
    const place = `${client} ${process?.pid} ${machine.host}`;
    const candidates = byProcess.get(place) ?? [];
    const group = candidates.find(
      ([first]) => first !== undefined && isSameAgent(first.fold.facts, session.fold.facts),
    );
    if (group !== undefined) group.push(session);
    else {
      const made = [session];
      groups.push(made);
      byProcess.set(place, [...candidates, made]);
    }
  }
  return groups;
}

/** True of two records of one living agent: `/clear` and a resume give it another id. */
export function isSameAgent(a: Facts, b: Facts): boolean {
  if (a.client === b.client && a.session === b.session && a.machine.host === b.machine.host) return true;
  if (a.client !== b.client || a.shared || b.shared || a.process === null || b.process === null) return false;
  return (
    a.process.pid === b.process.pid &&
    a.process.start !== null &&
    b.process.start !== null &&
    isSameStart(a.process.start, b.process.start) &&
    a.machine.host === b.machine.host &&
    a.machine.boot === b.machine.boot &&
    a.machine.namespace === b.machine.namespace
  );
}

function mergedRow(group: readonly KnownSession[], context: Context): Row {
  const newest = group.findLast(({ fold }) => verdictOf(fold, context).state.kind !== "ended") ?? group.at(-1);
  if (newest === undefined) throw new Error("a group has a session");
  const row = plainRow(newest, context);
  const earlier = group.filter((session) => session !== newest);
  if (earlier.length === 0) return { ...row, subagents: subagentsOf(group, row, context) };
  const rows = earlier.map((session) => plainRow(session, context));
  return {
    ...row,
    intent: row.intent ?? rows.findLast(({ intent }) => intent !== null)?.intent ?? null,
    files: newestFirst([row, ...rows].flatMap(({ files }) => files)),
    unattributed: newestFirst([row, ...rows].flatMap(({ unattributed }) => unattributed)),
    firstAt: Math.min(row.firstAt, ...rows.map(({ firstAt }) => firstAt)),
    earlier: earlier.map(({ key }) => key),
    subagents: subagentsOf(group, row, context),
  };
}

function subagentsOf(group: readonly KnownSession[], row: Row, context: Context): readonly Row[] {
  const names = new Set(group.map(({ fold }) => sessionName(fold.facts)));
  const children = [...names].flatMap((name) => context.children.get(name) ?? []);
  return children.map((child) => childRow(plainRow(child, context), row));
}

/** A subagent that never told its end has it with its parent's. */
function childRow(child: Row, parent: Row): Row {
  const over = parent.state.kind === "ended" || parent.liveness.kind === "dead";
  return over && child.state.kind !== "ended"
    ? { ...child, state: { kind: "ended", reason: "its session ended" } }
    : child;
}

function plainRow({ key, fold }: KnownSession, context: Context): Row {
  const { facts } = fold;
  const { reports } = context;
  // Of most sessions only tools told: there is nothing in doubt then.
  const isSure = fold.files.every(({ how }) => how === "tool");
  const touches = isSure ? fold.files : fold.files.map((touch) => reports.checked(touch, { fold }));
  return {
    key,
    client: facts.client,
    session: facts.session,
    agent: facts.agent,
    name: shortName(facts.session, facts.agent),
    ...verdictOf(fold, context),
    turn: fold.turn,
    standing: fold.standing,
    intent: fold.intent,
    // A fold has them oldest first, each once.
    files: isSure ? touches.toReversed() : touches.filter(({ how }) => how !== "unattributed").reverse(),
    filesForgotten: fold.filesForgotten,
    unattributed: isSure ? [] : touches.filter(({ how }) => how === "unattributed").reverse(),
    firstAt: fold.firstAt,
    lastAt: fold.lastAt,
    facts,
    crew: fold.crew,
    earlier: [],
    subagents: [],
  };
}

/** A former process that did not die is believed in where it surely lives, or was heard of so lately. */
const formerMsMax = 24 * 60 * 60_000;

/** Of a session that ran in several processes the end of one is the session's only when the others have died. */
function verdictOf(fold: KnownSession["fold"], context: Context): Pick<Row, "liveness" | "state"> {
  const { facts, turn, formers } = fold;
  const { state } = turn;
  const own = verdictOn({ process: facts.process, machine: facts.machine, at: fold.lastAt }, facts, context);
  if (own.kind !== "dead" && state.kind !== "ended") return { liveness: own, state };
  const former = formers.findLast((one) => {
    const { kind } = verdictOn(one, facts, context);
    return kind === "live" || (kind === "unknown" && context.now - one.at <= formerMsMax);
  });
  if (former === undefined) return { liveness: own, state };
  return { liveness: { kind: "unknown", why: "it ran in two processes, and one has ended" }, state: former.state };
}

function verdictOn(
  { process, machine, at }: Pick<Facts, "process" | "machine"> & { readonly at: number },
  { shared }: Facts,
  { machine: here, looks, now }: Context,
): Liveness {
  const look = process === null ? null : (looks.get(process.pid) ?? null);
  return livenessOf({ process, recorded: machine, here, look, shared, silentMs: now - at });
}

function newestFirst(touches: readonly Touch[]): readonly Touch[] {
  const newest = new Map<string, Touch>();
  for (const touch of touches.toSorted((a, b) => a.at - b.at))
    newest.set(`${touch.worktree ?? ""}\0${touch.path}`, touch);
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}
