// What a lone agent's transcript tells of its run: the task, and how it ended.

import { join } from "node:path";
import { z } from "zod";
import { asAgentId } from "../base/ids.ts";
import { capText } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import type { RunState } from "./find-runs.ts";
import type { RunDirectories } from "./state-directory.ts";

export const soloAgent = asAgentId("a0");

export function soloTranscript({ agents }: RunDirectories): string {
  return join(agents, `${soloAgent}.jsonl`);
}

export interface SoloFacts {
  readonly state: RunState;
  readonly reason: string;
  /** The task, as far as it was recorded. */
  readonly goal: string;
  readonly lastMs: number;
  readonly unreadable: string | null;
}

export interface SoloPlace {
  readonly directories: RunDirectories;
  readonly running: boolean;
  /** For a run without a record. */
  readonly madeMs: number;
}

const transcriptBytesMax = 256 * 1024 * 1024;
export const goalCharsMax = 50_000;

const USER = z.object({ message: z.object({ role: z.literal("user"), text: z.string() }) });
const LINE = z.object({ at_ms: z.number().optional() });
const END = z.object({ type: z.literal("end"), at_ms: z.number(), outcome: z.string(), detail: z.string() });

export async function soloFacts(host: Host, { directories, running, madeMs }: SoloPlace): Promise<SoloFacts> {
  const none: SoloFacts = {
    state: running ? "running" : "interrupted",
    reason: "",
    goal: "",
    lastMs: madeMs,
    unreadable: null,
  };
  const bytes = await host.files.read(soloTranscript(directories), transcriptBytesMax);
  if (!bytes.ok) {
    if (bytes.error.code === "not-found") return none;
    return { ...none, state: "failed", reason: bytes.error.message, unreadable: bytes.error.message };
  }
  const lines = Buffer.from(bytes.value).toString("utf8").trimEnd().split("\n").map(jsonOf);
  const [asked] = lines.flatMap((line) => USER.safeParse(line).data ?? []);
  const lastMs = lines.flatMap((line) => LINE.safeParse(line).data?.at_ms ?? []).at(-1) ?? madeMs;
  const known = { ...none, goal: capText(asked?.message.text ?? "", goalCharsMax), lastMs };
  const end = END.safeParse(lines.at(-1)).data;
  if (running || end === undefined) return known;
  return { ...known, state: stateOf(end.outcome), reason: end.detail === "" ? end.outcome : end.detail };
}

/** As `AgentResult` names the ends. */
function stateOf(outcome: string): RunState {
  if (outcome === "stopped" || outcome === "ended") return "finished";
  return outcome === "cancelled" ? "interrupted" : "failed";
}

/** Null for a line that a crash has torn. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
