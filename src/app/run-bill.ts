// What a lone run has used, from the transcripts of all its agents: the same before and after a crash, children included.
// A request that a crash cut off is in no transcript.

import { join } from "node:path";
import type { RecordedRequest } from "../agent/session-line.ts";
import { loadSession } from "../agent/session-load.ts";
import { type Totals, totalsOf } from "../agent/totals.ts";
import type { Files } from "../host/files.ts";
import { costUsdMax, type Price } from "../model/usage.ts";
import type { RunDirectories } from "./state-directory.ts";

export interface RunBill {
  readonly totals: Totals;
  /** Agents besides the first. */
  readonly children: number;
  /** Transcripts that cannot be read: the totals lack them. */
  readonly unreadable: number;
}

const transcriptsMax = 100_000;

export async function billOf(files: Files, { agents }: RunDirectories): Promise<RunBill> {
  const { requests, transcripts, unreadable } = await requestsOf(files, agents);
  return { totals: totalsOf(requests), children: Math.max(0, transcripts - 1), unreadable };
}

/** For a request whose cost nobody tells: more than any had in its context. */
export interface Worst {
  readonly price: Price;
  readonly outputTokensMax: number;
}

/** Tools and system prompt, which a transcript holds in part. */
const besideBytesMax = 256 * 1024;

/** Dollars for a budget: a cost that is not known counts with the most it can have been. */
export async function spentUsdMax(files: Files, { agents }: RunDirectories, worst: Worst): Promise<number> {
  const { requests, bytes } = await requestsOf(files, agents);
  // A token is at least one byte of what was sent, and all of that is in a transcript.
  const most = costUsdMax({ inputTokens: bytes + besideBytesMax, outputTokens: worst.outputTokensMax }, worst.price);
  return requests.reduce((sum, { costUsd }) => sum + (costUsd === "unavailable" ? most : costUsd), 0);
}

async function requestsOf(
  files: Files,
  directory: string,
): Promise<{
  readonly requests: readonly RecordedRequest[];
  readonly transcripts: number;
  readonly unreadable: number;
  readonly bytes: number;
}> {
  const entries = await files.list(directory, transcriptsMax);
  const names = entries.ok ? entries.value.filter(({ kind, name }) => kind === "file" && name.endsWith(".jsonl")) : [];
  const requests: RecordedRequest[] = [];
  let unreadable = 0;
  let bytes = 0;
  for (const { name } of names) {
    const path = join(directory, name);
    const session = await loadSession(files, path);
    if (session.ok) requests.push(...session.value.requests);
    else unreadable++;
    const stat = await files.stat(path);
    bytes = Math.max(bytes, stat.ok ? stat.value.size : 0);
  }
  return { requests, transcripts: names.length, unreadable, bytes };
}
