// How long each session worked and waited since a moment: read from its lines and its transcript when it is asked for.

import { EVIDENCE_READERS } from "../../clients/evidence-readers.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import type { FoundEvidence } from "../../sessions/board/evidence.ts";
import { type Spent, type Stretch, spentIn, sumOf } from "../../sessions/board/history.ts";
import type { BoardView } from "../../sessions/board/view.ts";
import type { SessionKey } from "../../sessions/presence/ids.ts";
import { repositoryKey } from "../../sessions/presence/ids.ts";
import type { Registry } from "../../sessions/presence/registry.ts";
import type { Row } from "../../sessions/presence/rows.ts";
import { sessionLines } from "../../sessions/presence/session-lines.ts";

export interface Today {
  readonly stretch: Stretch;
  /** Sessions that were heard of in it, the longest wait first; ended ones too. */
  readonly sessions: readonly SessionToday[];
  readonly sum: Spent;
}

export interface SessionToday {
  readonly row: BoardRow;
  readonly project: string;
  readonly spent: Spent;
}

const transcriptBytesMax = 64 * 1024 * 1024;

/** `view` with all rows, those that have ended too. */
export async function todayOf(registry: Registry, view: BoardView, stretch: Stretch): Promise<Today> {
  const sessions: SessionToday[] = [];
  for (const { name, rows } of view.projects) {
    for (const row of rows) {
      if (lastSeen(row.row, stretch.to) < stretch.from) continue;
      sessions.push({ row, project: name, spent: await spentOf(registry, row.row, stretch) });
    }
  }
  sessions.sort((a, b) => b.spent.waitedMs - a.spent.waitedMs || b.spent.workedMs - a.spent.workedMs);
  return { stretch, sessions, sum: sumOf(sessions.map(({ spent }) => spent)) };
}

/** A row's sessions follow each other in one process: their times add up. */
async function spentOf(registry: Registry, row: Row, stretch: Stretch): Promise<Spent> {
  const repository = repositoryKey(row.facts.repository);
  const of = async (key: SessionKey, lastAt: number | null): Promise<Spent> => {
    const lines = await sessionLines(registry.files, registry.directoryOf(repository, key));
    if (!lines.ok) return sumOf([]);
    const transcript = lines.value.findLast(({ facts }) => facts !== null)?.facts?.transcript ?? null;
    const evidence = transcript === null ? [] : await evidenceIn(registry, row.client, transcript, stretch);
    return spentIn(stretch, { lines: lines.value, evidence, lastAt: lastAt ?? lines.value.at(-1)?.at ?? 0 });
  };
  const earlier = await Promise.all(row.earlier.map((key) => of(key, null)));
  return sumOf([...earlier, await of(row.key, lastSeen(row, stretch.to))]);
}

/** One that lives is in its state until now; of another nobody knows more than its last event. */
function lastSeen(row: Row, now: number): number {
  return row.liveness.kind === "live" && row.state.kind !== "ended" ? now : row.lastAt;
}

async function evidenceIn(
  { files }: Registry,
  client: string,
  path: string,
  { from }: Stretch,
): Promise<readonly FoundEvidence[]> {
  const reader = EVIDENCE_READERS.find((one) => one.client === client);
  const stat = reader === undefined ? null : await files.stat(path);
  if (reader === undefined || stat === null || !stat.ok || stat.value.changedMs < from) return [];
  const bytes = await files.read(path, transcriptBytesMax);
  if (!bytes.ok) return [];
  const found: FoundEvidence[] = [];
  for (const line of Buffer.from(bytes.value).toString("utf8").split("\n")) {
    const evidence = reader.fromTranscript(line);
    if (evidence !== null) found.push({ evidence, source: "transcript" });
  }
  return found;
}
