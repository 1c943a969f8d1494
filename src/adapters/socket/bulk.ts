// Much at once for one reader: the commits of a history, and small contents by the hundred. They go out in parts, each when the one
// before has been taken, so that whoever exports a store holds up nobody's commit.

import type { Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { LOG_LIMITS } from "../../log/limits.ts";
import type { LandedCommit } from "../../vcs/types.ts";
import { type ContentRow, packContentsPart } from "./contents-part.ts";
import { commitsAPartMax, packHistoryPart } from "./history-part.ts";
import type { Answers, Ask, Problem } from "./messages.ts";
import type { AskContext } from "./requests.ts";
import { problemOf } from "./uploads.ts";

type AskOf<K extends Ask["kind"]> = Extract<Ask, { kind: K }>;

/** Of one answer: the reader asks on from where it ends. */
const commitsAnAnswer = 10_000;
/** Paths of a part's commits: some 100 bytes each. */
const pathsAPart = 2_000;
/** A larger content is asked for by itself, in parts. */
export const smallContentBytesMax = 256 * 1024;

export async function history(
  { store, parts, turns }: AskContext,
  { from }: AskOf<"history">,
): Promise<Result<Answers["history"], Problem>> {
  const end = store.vcs.head();
  let part: LandedCommit[] = [];
  let [paths, commits] = [0, 0];
  let to: Position = from;
  const flush = async (): Promise<void> => {
    if (part.length > 0 && !parts.isClosed()) await parts.push(packHistoryPart(part));
    [part, paths] = [[], 0];
    await turns.next();
  };
  for await (const commit of store.vcs.history(from)) {
    if (parts.isClosed() || commit.position > end) break;
    part.push(commit);
    to = commit.position;
    paths += commit.changes.length;
    commits += 1;
    if (commits === commitsAnAnswer) break;
    if (part.length === commitsAPartMax || paths >= pathsAPart) await flush();
  }
  await flush();
  return ok({ to: commits === commitsAnAnswer ? to : end, commits });
}

/** Each part is a msgpack list of `[index, bytes]`. Large ones are named instead. */
export async function contents(
  { store, limits, heldBytes, parts, turns }: AskContext,
  { ids }: AskOf<"contents">,
): Promise<Result<Answers["contents"], Problem>> {
  const large: number[] = [];
  let part: ContentRow[] = [];
  let [bytes, sent] = [0, 0];
  const most = Math.min(heldBytes.bytesMax, LOG_LIMITS.batchBytesMax);
  const flush = async (): Promise<void> => {
    if (part.length > 0 && !parts.isClosed()) await parts.push(packContentsPart(part));
    [part, bytes] = [[], 0];
  };
  for (const [index, id] of ids.entries()) {
    if (parts.isClosed()) break;
    if (!store.contents.has(id)) return err({ failed: "not-found", message: `the store has no content ${id}` });
    // How much it holds is known when it is open: until then it has room for the largest.
    const taking = heldBytes.take(most);
    if (taking !== null) await taking;
    try {
      const opened = await store.contents.open(id);
      if (!opened.ok) return err(problemOf(opened.error));
      const reader = opened.value;
      const content = reader.bytes > smallContentBytesMax ? null : await reader.read(0, reader.bytes);
      await reader.close();
      if (content?.ok === false) return err(problemOf(content.error));
      if (content === null) {
        large.push(index);
        continue;
      }
      part.push([index, content.value]);
      bytes += content.value.byteLength;
      sent += 1;
    } finally {
      heldBytes.give(most);
    }
    if (bytes >= limits.partBytes / 2) await flush();
    else if (index % contentsATurn === contentsATurn - 1) await turns.next();
  }
  await flush();
  return ok({ sent, large });
}

const contentsATurn = 16;
