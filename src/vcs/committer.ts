// Takes commits: plans against the head, computes what merges the plan lacks, and appends in the same synchronous step
// as the plan that lacks nothing. So no commit ever lands on a head other than the one it was planned for.

import { assert, unreachable } from "../base/assert.ts";
import { asConflictId, asPosition, type CommitKey, type RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob, NewRecord } from "../log/log.ts";
import { heldPaths } from "./conflicts.ts";
import { vcsFold } from "./fold.ts";
import { createLane } from "./lane.ts";
import { checkLimits, namedBlobs, type Refusal, refusal, type VcsLimits } from "./limits.ts";
import { createMerges, type MergeFunction } from "./merges.ts";
import { planCommit } from "./plan.ts";
import type { Plan } from "./plan-kinds.ts";
import { vcsRecord } from "./records.ts";
import { requestDigest } from "./request-digest.ts";
import type { CommitOutcome, CommitRequest, ConflictPath, Policy, SettledOutcome } from "./types.ts";

/** Plans that found the head moved again before a commit gets its paths to itself. */
export const openRoundsMax = 3;

type Answer = Result<CommitOutcome, AppendError>;

export interface CommitterOptions {
  readonly ledger: Ledger;
  readonly policies: readonly Policy[];
  readonly clock: Clock;
  readonly limits: VcsLimits;
  readonly merge: MergeFunction;
}

export function createCommitter(options: CommitterOptions): (request: CommitRequest) => Promise<Answer> {
  const { ledger, policies, limits } = options;
  const state = ledger.state(vcsFold);
  const lane = createLane();
  const inFlight = new Map<CommitKey, { readonly digest: string; readonly answer: Promise<Answer> }>();

  function commit(request: CommitRequest): Promise<Answer> {
    const { key } = request;
    const digest = requestDigest(request);
    const first = inFlight.get(key) ?? state.answers.get(key);
    if (first !== undefined && first.digest !== digest) return Promise.resolve(ok(otherRequest(key)));
    if (first !== undefined) return "answer" in first ? first.answer : whenDurable(ledger, first.outcome);
    const answer = settle(request, digest).finally(() => inFlight.delete(key));
    inFlight.set(key, { digest, answer });
    return answer;
  }

  async function settle(request: CommitRequest, digest: string): Promise<Answer> {
    const { log, stopped } = ledger;
    if (stopped !== null) return err(stopped);
    const refused = checkLimits(request, { ledger, imported: state.imported, limits });
    if (refused !== null) return ok(refused);
    const blobs = namedBlobs(request);
    const objectFormat = state.imported?.objectFormat ?? "sha1";
    const merges = createMerges({ log, objectFormat, merge: options.merge, given: blobs });
    const step = (): Plan => policyRefusal(policies, request) ?? planCommit(state, request, merges);

    for (let round = 1; round <= openRoundsMax; round += 1) {
      for (let held = lane.heldBack(paths(request)); held !== null; held = lane.heldBack(paths(request))) await held;
      const plan = step();
      if (plan.kind !== "merge") return accept({ ...options, request, digest, blobs }, plan);
      await merges.compute(plan.needs);
    }
    return lane.run(paths(request), async () => {
      for (let plan = step(); ; plan = step()) {
        if (plan.kind !== "merge") return accept({ ...options, request, digest, blobs }, plan);
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
  readonly blobs: readonly NewBlob[];
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
      return append(acceptance, vcsRecord(atMs, "commit", data), outcome, mergedBlobs);
    }
    default:
      return unreachable(plan);
  }
}

async function append(
  { ledger, request, blobs }: Acceptance,
  record: NewRecord,
  outcome: SettledOutcome,
  mergedBlobs: readonly NewBlob[],
): Promise<Answer> {
  const attached = request.attach?.(outcome) ?? [];
  const fresh = new Map([...blobs, ...mergedBlobs].map((blob) => [blob.id, blob]));
  const missing = [...fresh.values()].filter(({ id }) => !ledger.log.hasBlob(id));
  const appended = await ledger.append({ records: [record, ...attached], blobs: missing });
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

function policyRefusal(policies: readonly Policy[], request: CommitRequest): Extract<Plan, { kind: "refuse" }> | null {
  for (const policy of policies) {
    const reason = policy.check(request);
    if (reason !== null) return { kind: "refuse", policy: policy.name, reason };
  }
  return null;
}

async function whenDurable(ledger: Ledger, outcome: SettledOutcome): Promise<Answer> {
  if (outcome.position <= ledger.durable) return ok(outcome);
  const flushed = await ledger.flushed();
  if (!flushed.ok) return err(flushed.error);
  assert(outcome.position <= ledger.durable, "what was accepted is durable after a flush");
  return ok(outcome);
}

function otherRequest(key: CommitKey): Refusal {
  return refusal("key", `The key ${key} was used for a commit with other changes. Commit these under a new key.`);
}
