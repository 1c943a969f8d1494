// A run's transcripts as one ATIF document: the first agent's trajectory, with each child's embedded below its parent's and named by the
// result of the call that started it.

import { scriptedSentence } from "../sentences.ts";
import type { Known, Transcript, TranscriptLine } from "../transcript.ts";
import { type AtifTotals, type AtifTrajectory, atifVersion } from "./format.ts";
import { atifSteps } from "./steps.ts";

export interface AtifRun {
  /** Of the run. */
  readonly sessionId: string;
  readonly skeinVersion: string;
  readonly transcripts: readonly Transcript[];
}

/** Null where no transcript is a first agent's. */
export function atifTrajectory(run: AtifRun): AtifTrajectory | null {
  const root = run.transcripts.find(({ parent }) => parent === null);
  if (root === undefined) return null;
  return trajectoryOf(root, run, new Set(run.transcripts.map(({ agent }) => agent)));
}

/** `agents` are those that a trajectory can still stand for: none is embedded twice. */
function trajectoryOf(transcript: Transcript, run: AtifRun, agents: Set<string>): AtifTrajectory {
  agents.delete(transcript.agent);
  const isRoot = transcript.parent === null;
  const all = run.transcripts;
  const isOrphan = ({ parent }: Transcript) => parent !== null && !all.some(({ agent }) => agent === parent);
  const children = all.filter(
    (child) => agents.has(child.agent) && (child.parent === transcript.agent || (isRoot && isOrphan(child))),
  );
  const embed = (child: Transcript) => (agents.has(child.agent) ? [trajectoryOf(child, run, agents)] : []);
  // Nobody is left out: whose parents lead in a circle stand below the first agent.
  const embedded = [...children, ...(isRoot ? all : [])].flatMap(embed);
  const idOf = (agent: string) => `${run.sessionId}/${agent}`;
  const steps = atifSteps(transcript, {
    sessionId: run.sessionId,
    children: children.flatMap(({ agent, lines }) => {
      const startedBy = lines.find((line) => line.kind === "start")?.startedBy ?? null;
      return startedBy === null ? [] : [{ trajectoryId: idOf(agent), startedBy }];
    }),
  });
  const start = transcript.lines.find((line) => line.kind === "start");
  const end = transcript.lines.findLast((line) => line.kind === "end");
  const { linesUnread } = transcript;
  return {
    schema_version: atifVersion,
    session_id: run.sessionId,
    trajectory_id: idOf(transcript.agent),
    agent: {
      name: "skein",
      version: run.skeinVersion,
      model_name: start?.provider ?? "unknown",
      extra: {
        id: transcript.agent,
        parent: transcript.parent,
        role: start?.role,
        scripted: start?.scripted,
        tools: start?.tools,
      },
    },
    steps,
    ...(start?.scripted === true ? { notes: scriptedSentence } : {}),
    final_metrics: totalsOf(transcript.lines, steps.length),
    extra: {
      ...(end === undefined ? { interrupted: true } : { outcome: end.outcome, detail: end.detail }),
      ...(linesUnread === 0 ? {} : { transcript_lines_unread: linesUnread }),
    },
    ...(embedded.length === 0 ? {} : { subagent_trajectories: embedded }),
  };
}

/** Of this agent alone. A sum with an unknown part is left out. */
function totalsOf(lines: readonly TranscriptLine[], steps: number): AtifTotals {
  const requests = lines.filter((line) => line.kind === "request");
  const sum = (of: (request: (typeof requests)[number]) => Known): number | null =>
    requests.reduce<number | null>((total, request) => {
      const part = of(request);
      return total === null || part === "unavailable" ? null : total + part;
    }, 0);
  const prompt = sum(({ tokens }) => tokens.inputTokens);
  const completion = sum(({ tokens }) => tokens.outputTokens);
  const cached = sum(({ tokens }) => tokens.cachedTokens);
  const cost = sum(({ costUsd }) => costUsd);
  return {
    ...(prompt === null ? {} : { total_prompt_tokens: prompt }),
    ...(completion === null ? {} : { total_completion_tokens: completion }),
    ...(cached === null ? {} : { total_cached_tokens: cached }),
    ...(cost === null ? {} : { total_cost_usd: Math.round(cost * 1e12) / 1e12 }),
    total_steps: steps,
    extra: { requests: requests.length },
  };
}
