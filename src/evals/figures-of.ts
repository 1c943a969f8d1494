// The figures of a run, from its agents and delegations. A sum is unavailable as soon as one of its parts is.

import { derived, type Figure, type FigureName, measured, UNAVAILABLE } from "./figure.ts";
import { peakOf, unionMs } from "./intervals.ts";
import type { AgentRecord, DelegationFacts, RequestRecord, RunRecord } from "./record.ts";

export interface FiguresOf extends Pick<RunRecord, "childResults"> {
  readonly agents: readonly AgentRecord[];
  readonly delegations: readonly DelegationFacts[];
  readonly filesReadAgain: number;
  readonly processMs: number;
  readonly wallMs: number | null;
}

export function figuresOf(run: FiguresOf): Readonly<Record<FigureName, Figure>> {
  const [parent, ...children] = run.agents;
  const all = run.agents.flatMap(({ requests }) => requests);
  const own = parent?.requests ?? [];
  const theirs = children.flatMap(({ requests }) => requests);
  // Nothing recorded is not the same as nothing done.
  const known = (figure: Figure): Figure => (parent === undefined ? UNAVAILABLE : figure);
  const apart = (of: (requests: readonly RequestRecord[]) => Figure) =>
    [known(of(all)), known(of(own)), known(of(theirs))] as const;
  const [requests, requestsParent, requestsChildren] = apart((some) => measured(some.length));
  const [inputTokens, inputTokensParent, inputTokensChildren] = apart((some) => sumOf(some, "inputTokens"));
  const [cachedTokens, cachedTokensParent, cachedTokensChildren] = apart((some) => sumOf(some, "cachedTokens"));
  const [outputTokens, outputTokensParent, outputTokensChildren] = apart((some) => sumOf(some, "outputTokens"));
  const [costUsd, costUsdParent, costUsdChildren] = apart((some) => sumOf(some, "costUsd"));
  const [peakContextTokens, peakContextTokensParent, peakContextTokensChildren] = apart(peakContext);
  return {
    ...times(run, all),
    requests,
    requestsParent,
    requestsChildren,
    inputTokens,
    inputTokensParent,
    inputTokensChildren,
    cachedTokens,
    cachedTokensParent,
    cachedTokensChildren,
    outputTokens,
    outputTokensParent,
    outputTokensChildren,
    costUsd,
    costUsdParent,
    costUsdChildren,
    peakContextTokens,
    peakContextTokensParent,
    peakContextTokensChildren,
    calls: known(measured(run.agents.reduce((sum, { calls }) => sum + calls.length, 0))),
    callsPerResponseMax: known(derived(Math.max(0, ...all.map(({ calls }) => calls)))),
    delegationsPerResponseMax: known(derived(Math.max(0, ...all.map(({ delegations }) => delegations)))),
    ...delegationFigures(run, known),
    ...resultFigures(run),
    filesReadAgain: known(derived(run.filesReadAgain)),
  };
}

type TimeName = "wallMs" | "waitingMs" | "workingMs" | "queuedMs" | "processMs";

function times(
  { wallMs, processMs }: FiguresOf,
  requests: readonly RequestRecord[],
): Readonly<Record<TimeName, Figure>> {
  const open = requests.flatMap(({ startMs, endMs }) =>
    startMs === null || endMs === null ? [] : [{ startMs, endMs }],
  );
  const waitingMs = unionMs(open);
  return {
    wallMs: wallMs === null ? UNAVAILABLE : measured(wallMs),
    waitingMs: requests.length === 0 ? UNAVAILABLE : derived(waitingMs),
    workingMs: wallMs === null || requests.length === 0 ? UNAVAILABLE : derived(Math.max(0, wallMs - waitingMs)),
    queuedMs: requests.length === 0 ? UNAVAILABLE : derived(requests.reduce((sum, { queuedMs }) => sum + queuedMs, 0)),
    processMs: measured(processMs),
  };
}

type DelegationName =
  | "delegations"
  | "delegationSpanMs"
  | "delegationSumMs"
  | "delegationLongestMs"
  | "overlapRatio"
  | "peakConcurrency";

function delegationFigures(
  { delegations }: FiguresOf,
  known: (figure: Figure) => Figure,
): Readonly<Record<DelegationName, Figure>> {
  const ran = delegations.flatMap(({ startMs, endMs }) =>
    startMs === null || endMs === null ? [] : [{ startMs, endMs }],
  );
  if (ran.length === 0)
    return {
      delegations: known(measured(0)),
      delegationSpanMs: UNAVAILABLE,
      delegationSumMs: UNAVAILABLE,
      delegationLongestMs: UNAVAILABLE,
      overlapRatio: UNAVAILABLE,
      peakConcurrency: UNAVAILABLE,
    };
  const times = ran.map(({ startMs, endMs }) => endMs - startMs);
  const span = Math.max(...ran.map(({ endMs }) => endMs)) - Math.min(...ran.map(({ startMs }) => startMs));
  const sum = times.reduce((all, time) => all + time, 0);
  return {
    delegations: measured(ran.length),
    delegationSpanMs: derived(span),
    delegationSumMs: derived(sum),
    delegationLongestMs: derived(Math.max(...times)),
    overlapRatio: span === 0 ? UNAVAILABLE : derived(sum / span),
    peakConcurrency: derived(peakOf(ran)),
  };
}

function resultFigures({
  childResults,
}: FiguresOf): Readonly<Record<"childResultCharsMin" | "childResultCharsMax", Figure>> {
  const chars = childResults.map((result) => result.chars);
  if (chars.length === 0) return { childResultCharsMin: UNAVAILABLE, childResultCharsMax: UNAVAILABLE };
  return { childResultCharsMin: measured(Math.min(...chars)), childResultCharsMax: measured(Math.max(...chars)) };
}

type Summed = "inputTokens" | "cachedTokens" | "outputTokens" | "costUsd";

function sumOf(requests: readonly RequestRecord[], name: Summed): Figure {
  let sum = 0;
  for (const request of requests) {
    const part = request[name];
    if (part === null) return UNAVAILABLE;
    sum += part;
  }
  return measured(sum);
}

/** Of the requests that got an answer; unavailable where one of them has no count, or none got one. */
function peakContext(requests: readonly RequestRecord[]): Figure {
  const answered = requests.filter(({ outcome }) => outcome !== "error" && outcome !== "aborted");
  const sizes = answered.map(({ inputTokens, outputTokens }) =>
    inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
  );
  const known = sizes.filter((size) => size !== null);
  return known.length === 0 || known.length < sizes.length ? UNAVAILABLE : derived(Math.max(...known));
}
