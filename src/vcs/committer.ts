// Takes commits: plans against the head, computes what merges the plan lacks, and appends in the same synchronous step
// as the plan that lacks nothing. So no commit ever lands on a head other than the one it was planned for.

import { unreachable } from "../base/assert.ts";
import { asConflictId, asPosition, type CommitKey, type Position, type RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob, NewRecord } from "../log/log.ts";
import { heldPaths } from "./conflicts.ts";
import { vcsFold } from "./fold.ts";
import { answerAt } from "./history.ts";
import { createLane } from "./lane.ts";
import { createMerges, type MergeFunction } from "./merges.ts";
import { planCommit } from "./plan.ts";
import type { Plan } from "./plan-kinds.ts";
import { type Policy, type Refusal, refusal, refusalOf } from "./policies/policy.ts";
import { Proposal, type ProposalStore } from "./policies/proposal.ts";
import { commitRecord, vcsRecord } from "./records.ts";
import { requestDigest } from "./request-digest.ts";
import { headEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import type { CommitOutcome, CommitRequest, ConflictPath, SettledOutcome } from "./types.ts";

/** Plans that found the head moved again before a commit gets its paths to itself. */
export const openRoundsMax = 3;

type Answer = Result<CommitOutcome, AppendError>;

export interface CommitterOptions {
  readonly ledger: Ledger;
  /** All of them, the standard ones first. */
  readonly policies: readonly Policy[];
  readonly clock: Clock;
  readonly merge: MergeFunction;
}

export function createCommitter(options: CommitterOptions): (request: CommitRequest) => Promise<Answer> {
  const { ledger, policies } = options;
  const state = ledger.state(vcsFold);
  const lane = createLane();
  const store = proposalStore(ledger, state);
  const inFlight = new Map<CommitKey, { readonly digest: string; readonly answer: Promise<Answer> }>();

  function commit(request: CommitRequest): Promise<Answer> {
    const { key } = request;
    const digest = requestDigest(request);
    const first = inFlight.get(key);
    if (first !== undefined) {
      return first.digest === digest ? first.answer : Promise.resolve(ok(otherRequest(key)));
    }
    const before = state.answers.candidates(key);
    const answer = before.length === 0 ? settle(request, digest) : settleAgain(request, digest, before);
    inFlight.set(key, { digest, answer });
    const done = (): void => {
      inFlight.delete(key);
    };
    answer.then(done, done);
    return answer;
  }

  /** The key may have been answered before: the records say so, whole. */
  async function settleAgain(request: CommitRequest, digest: string, before: readonly Position[]): Promise<Answer> {
    for (const position of before) {
      const flushed = position <= ledger.durable ? null : await ledger.flushed();
      if (flushed?.ok === false) return err(flushed.error);
      const given = await answerAt(ledger, position);
      if (given?.key !== request.key) continue;
      return ok(given.digest === digest ? given.outcome : otherRequest(request.key));
    }
    return settle(request, digest);
  }

  async function settle(request: CommitRequest, digest: string): Promise<Answer> {
    const { log, stopped } = ledger;
    if (stopped !== null) return err(stopped);
    const proposal = new Proposal(request, store);
    const refused = refusalOf(policies, proposal, "arrival");
    if (refused !== null) return ok(refused);
    const objectFormat = state.imported?.objectFormat ?? "sha1";
    const merges = createMerges({
      log,
      objectFormat,
      merge: options.merge,
      given: (id) => proposal.content(id)?.bytes,
    });
    const step = (): Plan => policyRefusal(policies, proposal) ?? planCommit(state, request, merges);

    for (let round = 1; round <= openRoundsMax; round += 1) {
      for (let held = lane.heldBack(paths(request)); held !== null; held = lane.heldBack(paths(request))) await held;
      const plan = step();
      if (plan.kind !== "merge") return accept({ ...options, request, digest, proposal }, plan);
      await merges.compute(plan.needs);
    }
    return lane.run(paths(request), async () => {
      for (let plan = step(); ; plan = step()) {
        if (plan.kind !== "merge") return accept({ ...options, request, digest, proposal }, plan);
        // Only this commit may change its paths now, so that the next plan has all it needs.
        await merges.compute(plan.needs);
      }
    });
  }

  function paths({ changes, resolves }: CommitRequest): readonly RepoPath[] {
    const own = changes.map(({ path }) => path);
    const conflict = resolves === undefined ? undefined : state.conflicts.get(resolves);
    return conflict === undefined ? own : [...own, ...heldPaths(conflict)];
  }

  return commit;
}

interface Acceptance extends CommitterOptions {
  readonly request: CommitRequest;
  readonly digest: string;
  readonly proposal: Proposal;
}

/** Appends what the plan says. Reaches `ledger.append` before its first `await`. */
async function accept(acceptance: Acceptance, plan: Exclude<Plan, { kind: "merge" }>): Promise<Answer> {
  const { ledger, clock, request, digest } = acceptance;
  const { key, base, author, message, changes } = request;
  const atMs = clock.now();
  const position = asPosition(ledger.end + 1);
  const asked = { key, digest, base, author };
  switch (plan.kind) {
    case "refuse":
      return ok(refusal(plan.policy, plan.reason));
    case "stale":
      return refresh(acceptance, plan);
    case "unchanged":
      return append(acceptance, vcsRecord(atMs, "commit_unchanged", asked), { kind: "unchanged", position }, []);
    case "close": {
      const record = vcsRecord(atMs, "conflict_resolved", { conflict: plan.conflict, ...asked });
      return append(acceptance, record, { kind: "unchanged", position }, []);
    }
    case "conflict": {
      const conflict = asConflictId(`c${ledger.state(vcsFold).conflicts.size + 1}`);
      const data = { conflict, ...asked, message, changes, paths: plan.paths.map(recordedSides) };
      const outcome: SettledOutcome = { kind: "conflict", position, conflict, joined: false };
      return append(acceptance, vcsRecord(atMs, "conflict", data), outcome, []);
    }
    case "join": {
      const { conflict } = plan;
      const data = { conflict, ...asked, message, changes, paths: plan.paths.map(recordedSides) };
      const outcome: SettledOutcome = { kind: "conflict", position, conflict, joined: true };
      return append(acceptance, vcsRecord(atMs, "conflict_joined", data), outcome, []);
    }
    case "land": {
      const { changes: landed, merged, mergedBlobs, resolves } = plan.landing;
      const resolved = resolves === null ? null : { conflict: resolves.id, resolved_by: author };
      const data = {
        ...asked,
        author: resolves?.author ?? author,
        message,
        changes: landed,
        merged,
        resolves: resolved,
        discarded: request.discarded ?? [],
      };
      const outcome: SettledOutcome = { kind: "landed", position, merged: merged.map(({ path }) => path) };
      return append(acceptance, commitRecord(atMs, data), outcome, mergedBlobs);
    }
    default:
      return unreachable(plan);
  }
}

async function append(
  { ledger, request, proposal }: Acceptance,
  record: NewRecord,
  outcome: SettledOutcome,
  mergedBlobs: readonly NewBlob[],
): Promise<Answer> {
  const attached = request.attach?.(outcome) ?? [];
  // The log leaves out what it has.
  const blobs = [...proposal.namedContents(), ...mergedBlobs];
  const appended = await ledger.append({ records: [record, ...attached], blobs });
  return appended.ok ? ok(outcome) : err(appended.error);
}

/** A stale resolution is refused, and the object gets the head's sides as they are now for the next attempt. */
async function refresh({ ledger, clock }: Acceptance, plan: Extract<Plan, { kind: "stale" }>): Promise<Answer> {
  const { conflict, paths } = plan;
  const answer = refusal(
    "stale-resolution",
    `Conflict ${conflict} has changed since this resolution's base. Look at it again and resolve it from there.`,
  );
  if (paths === null) return ok(answer);
  const record = vcsRecord(clock.now(), "conflict_refreshed", { conflict, paths: paths.map(recordedSides) });
  const appended = await ledger.append({ records: [record], blobs: [] });
  return appended.ok ? ok(answer) : err(appended.error);
}

function recordedSides({ oursAuthor, ...sides }: ConflictPath) {
  return { ...sides, ours_author: oursAuthor };
}

function policyRefusal(policies: readonly Policy[], proposal: Proposal): Extract<Plan, { kind: "refuse" }> | null {
  const refused = refusalOf(policies, proposal, "acceptance");
  return refused === null ? null : { kind: "refuse", policy: refused.policy, reason: refused.reason };
}

function proposalStore(ledger: Ledger, state: VcsState): ProposalStore {
  return {
    get imported() {
      return state.imported;
    },
    get durable() {
      return ledger.durable;
    },
    get keptFrom() {
      return state.keptFrom;
    },
    get end() {
      return ledger.end;
    },
    hasBlob: (id) => ledger.log.hasBlob(id),
    knowsPath: (path) => state.versions.head(path) !== -1,
    headEntry: (path) => headEntry(state, path),
    *headPaths(directory) {
      for (const path of state.versions.names()) {
        if (path.startsWith(`${directory}/`) && headEntry(state, path) !== null) yield path;
      }
    },
  };
}

function otherRequest(key: CommitKey): Refusal {
  return refusal("key", `The key ${key} was used for a commit with other changes. Commit these under a new key.`);
}
