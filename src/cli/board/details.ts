// All that is known of one session, for whoever looks closer. Everything that a session wrote itself is cleaned and quoted.

import { cleanLine } from "../../base/text.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import { isHere } from "../../sessions/presence/start-block.ts";
import { ageWord, branchWord, pathWord, quoted, stateWord, timeWord } from "../../sessions/presence/words.ts";
import type { Colors } from "../io.ts";
import { plural } from "../render/figures.ts";

const filesShownMax = 6;

export interface DetailOptions {
  readonly now: number;
  readonly colors: Colors;
}

export function detailLines(shown: BoardRow, { now, colors }: DetailOptions): readonly string[] {
  const { row, state, since, turn } = shown;
  const detail = (name: string, text: string): string => `  ${colors.dim(name.padEnd(10))} ${text}`;
  const { facts, standing, intent, files, unattributed, subagents } = row;
  const lines = [
    detail("session", `${row.client} ${cleanLine(row.session, 80)}`),
    detail(
      "state",
      `${stateWord({ ...row, state })} since ${timeWord(since)} (${ageWord(now - since)}), ${becauseText(shown)}`,
    ),
    detail(
      "last event",
      `${timeWord(row.lastAt)} (${ageWord(now - row.lastAt)}); ${plural(turn.ended, "turn")}, ${plural(turn.prompts, "prompt")}`,
    ),
    detail("branch", `${branchWord(standing)}${standing === null ? "" : ` in ${pathWord(standing.worktree)}`}`),
  ];
  if (intent !== null) lines.push(detail("intent", quoted(intent.text, 200)));
  if (files.length > 0)
    lines.push(
      detail(
        "edited",
        list(
          files.map(({ path }) => pathWord(path)),
          row.filesForgotten,
        ),
      ),
    );
  if (unattributed.length > 0)
    lines.push(
      detail(
        "maybe",
        `${list(
          unattributed.map(({ path }) => pathWord(path)),
          0,
        )} (maybe by others)`,
      ),
    );
  const children = subagents.filter(isHere);
  if (children.length > 0)
    lines.push(
      detail(
        "subagents",
        list(
          children.map(({ name }) => name),
          0,
        ),
      ),
    );
  if (row.crew !== null)
    lines.push(detail("workers", `${row.crew} at work: skein swarm status ${cleanLine(row.session, 80)}`));
  const { process, terminal, tmux } = facts;
  const where = [
    process === null ? null : `process ${process.pid}`,
    terminal === null ? null : cleanLine(terminal, 40),
    tmux === null ? null : `tmux ${cleanLine(tmux, 100)}`,
    `host ${cleanLine(facts.machine.host, 60)}`,
  ].filter((part) => part !== null);
  lines.push(detail("at", where.join(", ")));
  if (facts.transcript !== null) lines.push(detail("transcript", pathWord(facts.transcript)));
  return lines;
}

function list(names: readonly string[], forgotten: number): string {
  const more = names.length + forgotten - Math.min(names.length, filesShownMax);
  return `${names.slice(0, filesShownMax).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function becauseText({ because }: BoardRow): string {
  switch (because) {
    case "hooks":
      return "as its hooks told";
    case "transcript":
      return "as its transcript shows";
    case "client":
      return "as its client's own state says";
    case "subagents":
      return "by what its subagents do";
    case "process":
      return "by its process";
  }
}
