// The sessions of a repository as people and programs get them. Everything in them that a session wrote itself is untrusted.

import type { Who } from "../../app/who.ts";
import { cleanLine } from "../../base/text.ts";
import type { Touch } from "../../sessions/presence/fold.ts";
import type { Row } from "../../sessions/presence/rows.ts";
import { isHere } from "../../sessions/presence/start-block.ts";
import { ageWord, branchWord, pathWord, quoted, stateWord, whoWord } from "../../sessions/presence/words.ts";
import type { Colors } from "../io.ts";
import { plural } from "./figures.ts";

const filesShownMax = 8;

export function whoLines({ rows, gone, now, place, problems }: Who, colors: Colors): readonly string[] {
  const lines: string[] = [];
  if (rows.length === 0) lines.push(`no agent sessions in ${cleanLine(place.repository, 300)}`);
  for (const row of rows) lines.push(...rowLines(row, now, colors));
  const hidden = rows.every(isHere) ? gone : 0;
  if (hidden > 0) lines.push(colors.dim(`${plural(hidden, "session")} ended: skein who --all`));
  for (const problem of problems) lines.push(colors.yellow(`not readable: ${cleanLine(problem, 300)}`));
  return lines;
}

function rowLines(row: Row, now: number, colors: Colors): readonly string[] {
  const detail = (name: string, text: string): string => `  ${colors.dim(name.padEnd(9))} ${text}`;
  const lines = [
    `${colors.bold(whoWord(row).padEnd(24))} ${paint(row, colors)(stateWord(row))}  ${colors.dim(ageWord(now - row.lastAt))}`,
    detail(
      "branch",
      `${branchWord(row.standing)}${row.standing === null ? "" : ` in ${pathWord(row.standing.worktree)}`}`,
    ),
  ];
  if (row.intent !== null) lines.push(detail("intent", quoted(row.intent.text, 200)));
  if (row.files.length > 0) lines.push(detail("edited", fileList(row.files, now, row.filesForgotten)));
  if (row.unattributed.length > 0)
    lines.push(detail("maybe", `${fileList(row.unattributed, now, 0)} (changed during its commands, maybe by others)`));
  if (row.crew !== null)
    lines.push(detail("workers", `${row.crew} at work: skein swarm status ${cleanLine(row.session, 80)}`));
  for (const child of row.subagents.filter(isHere))
    lines.push(
      detail("subagent", `${child.name}${child.files.length === 0 ? "" : `: ${fileList(child.files, now, 0)}`}`),
    );
  const { process, tmux, terminal } = row.facts;
  const where = [
    process === null ? null : `process ${process.pid}`,
    terminal,
    tmux === null ? null : `tmux ${cleanLine(tmux, 100)}`,
  ].filter((part) => part !== null);
  if (where.length > 0) lines.push(detail("at", where.join(", ")));
  return lines;
}

function fileList(files: readonly Touch[], now: number, forgotten: number): string {
  const shown = files.slice(0, filesShownMax).map(({ path, at }) => `${pathWord(path)} (${ageWord(now - at)})`);
  const more = files.length + forgotten - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function paint({ liveness, state }: Row, colors: Colors): (text: string) => string {
  if (liveness.kind !== "live") return colors.yellow;
  return state.kind === "working" ? colors.cyan : state.kind === "waiting" ? colors.yellow : colors.dim;
}

/** One object: what `--json` promises. Times in ISO 8601, UTC. */
export function whoJson({ rows, gone, place, now, problems }: Who) {
  return {
    repository: place.repository,
    at: iso(now),
    sessions: rows.map(rowJson),
    endedNotListed: rows.every(isHere) ? gone : 0,
    problems,
  };
}

interface RowJson {
  readonly [field: string]: unknown;
}

/** One session for programs, also as a part of the board. */
export function rowJson(row: Row): RowJson {
  const { facts, liveness, state, standing, intent } = row;
  return {
    client: row.client,
    session: row.session,
    agent: row.agent,
    liveness: liveness.kind,
    livenessReason: liveness.kind === "live" ? null : liveness.why,
    state: state.kind,
    reason: state.kind === "working" ? null : state.reason,
    stateSince: iso(row.turn.since),
    branch: standing?.branch ?? null,
    commit: standing?.commit ?? null,
    worktree: standing?.worktree ?? null,
    intent: intent === null ? null : { text: intent.text, by: intent.by, at: iso(intent.at) },
    files: row.files.map(fileJson),
    filesNotListed: row.filesForgotten,
    unattributed: row.unattributed.map(fileJson),
    firstSeen: iso(row.firstAt),
    lastActivity: iso(row.lastAt),
    pid: facts.process?.pid ?? null,
    host: facts.machine.host,
    terminal: facts.terminal,
    tmux: facts.tmux,
    transcript: facts.transcript,
    workers: row.crew,
    subagents: row.subagents.map(rowJson),
  };
}

function fileJson({ path, worktree, how, at }: Touch) {
  return { path, worktree, how, at: iso(at) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
