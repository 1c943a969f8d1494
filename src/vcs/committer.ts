// Takes commits: plans against the head, computes what merges the plan lacks, and appends in the same synchronous step
// as the plan that lacks nothing. So no commit ever lands on a head other than the one it was planned for.

import { unreachable } from "../base/assert.ts";
import { asConflictId, asPosition, type BlobId, type CommitKey, type Position, type RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob, NewRecord } from "../log/log.ts";
import { CaseIndex } from "./case-index.ts";
import { heldPaths } from "./conflicts.ts";
import { vcsFold } from "./fold.ts";
import { answerAt, landedOutcome } from "./history.ts";
import { createLane } from "./lane.ts";
import { createMerges, type MergeFunction, type Merges } from "./merges.ts";
import { planCommit } from "./plan.ts";
import type { Landing, Plan } from "./plan-kinds.ts";
import { namedPaths, type Policy, type Refusal, refusal, refusalOf } from "./policies/policy.ts";
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
  const { ledger } = options;
  const arrival = options.policies.filter(({ when }) => when === "arrival");
  const acceptance = options.policies.filter(({ when }) => when === "acceptance");
  const state = ledger.state(vcsFold);
  const lane = createLane();
  const store = proposalStore(ledger, state);
  const inFlight = new Map<CommitKey, { readonly digest: string; readonly answer: Promise<Answer> }>();

  function commit(request: CommitRequest): Promise<Answer> {
    const { key } = request;
    const digest = request.digest ?? requestDigest(request);
    const first = inFlight.get(key);
    if (first !== undefined) {
      return first.digest === digest ? first.answer : Promise.resolve(ok(otherRequest(key)));
    }
    const before = state.answers.candidates(key);
    try {
      const settling = before.length === 0 ? settle(request, digest) : settleAgain(request, digest, before);
      const answer = settling.then(
        (settled) => {
          inFlight.delete(key);
          return settled;
        },
        (error: unknown) => {
          inFlight.delete(key);
          throw error;
        },
      );
      inFlight.set(key, { digest, answer });
      return answer;
    } catch (error) {
      return Promise.reject(error);
    }
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

  /** In one synchronous step up to the append, unless a merge or somebody in the lane is to be waited for. */
  function settle(request: CommitRequest, digest: string): Promise<Answer> {
    const { log, stopped } = ledger;
    if (stopped !== null) return Promise.resolve(err(stopped));
    const proposal = new Proposal(request, store);
    const refused = refusalOf(arrival, proposal);
    if (refused !== null) return Promise.resolve(ok(refused));
    const objectFormat = state.imported?.objectFormat ?? "sha1";
    const given = (id: BlobId): Uint8Array | undefined => proposal.content(id)?.bytes;
    const merges = createMerges({ log, objectFormat, merge: options.merge, given });
    const asked: Asked = { options, request, digest, proposal, merges };
    if (!lane.isFree) return settleInRounds(asked, null);
    const plan = step(asked);
    return plan.kind === "merge" ? settleInRounds(asked, plan) : accept(asked, plan);
  }

  function step({ request, proposal, merges }: Asked): Plan {
    const refused = refusalOf(acceptance, proposal);
    if (refused !== null) return { kind: "refuse", policy: refused.policy, reason: refused.reason };
    return planCommit(state, request, merges);
  }

  /** `first`: the first round's plan, if it was made already. */
  async function settleInRounds(asked: Asked, first: Plan | null): Promise<Answer> {
    const { request, merges } = asked;
    let made = first;
    for (let round = 1; round <= openRoundsMax; round += 1) {
      if (made === null) {
        for (let held = lane.heldBack(paths(request)); held !== null; held = lane.heldBack(paths(request))) await held;
      }
      const plan = made ?? step(asked);
      if (plan.kind !== "merge") return accept(asked, plan);
      await merges.compute(plan.needs);
      made = null;
    }
    return lane.run(paths(request), async () => {
      for (let plan = step(asked); ; plan = step(asked)) {
        if (plan.kind !== "merge") return accept(asked, plan);
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

/** A request on its way. */
interface Asked {
  readonly options: CommitterOptions;
  readonly request: CommitRequest;
  readonly digest: string;
  readonly proposal: Proposal;
  readonly merges: Merges;
}

/** Appends what the plan says, in the same synchronous step. */
function accept(acceptance: Asked, plan: Exclude<Plan, { kind: "merge" }>): Promise<Answer> {
  const { options, request, digest } = acceptance;
  const { ledger, clock } = options;
  const { key, base, author, message, changes } = request;
  const atMs = clock.now();
  const position = asPosition(ledger.end + 1);
  const asked = { key, digest, base, author };
  const bases = request.bases === undefined ? [] : [...request.bases].map(([path, from]) => ({ path, from }));
  switch (plan.kind) {
    case "refuse":
      return Promise.resolve(ok(refusal(plan.policy, plan.reason)));
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
      const data = { conflict, ...asked, message, changes, paths: plan.paths.map(recordedSides), bases };
      const outcome: SettledOutcome = { kind: "conflict", position, conflict, joined: false };
      return append(acceptance, vcsRecord(atMs, "conflict", data), outcome, []);
    }
    case "join": {
      const { conflict } = plan;
      const data = { conflict, ...asked, message, changes, paths: plan.paths.map(recordedSides), bases };
      const outcome: SettledOutcome = { kind: "conflict", position, conflict, joined: true };
      return append(acceptance, vcsRecord(atMs, "conflict_joined", data), outcome, []);
    }
    case "land": {
      const refused = plan.landing.moved.length === 0 ? null : refusalOfPlaces(acceptance, plan.landing);
      if (refused !== null) return Promise.resolve(ok(refused));
      const { changes: landed, merged, mergedBlobs, moved, resolves } = plan.landing;
      const resolved = resolves === null ? null : { conflict: resolves.id, resolved_by: author };
      const data = {
        ...asked,
        author: resolves?.author ?? author,
        message,
        changes: landed,
        merged,
        resolves: resolved,
        discarded: request.discarded ?? [],
        moved,
      };
      const outcome = landedOutcome(position, merged, moved);
      return append(acceptance, commitRecord(atMs, data), outcome, mergedBlobs);
    }
    default:
      return unreachable(plan);
  }
}

/** Where renames lead is nothing that the committer has asked for: what must not be changed there is not. */
function refusalOfPlaces(
  { options, request, proposal }: Asked,
  { changes, moved }: Pick<Landing, "changes" | "moved">,
): Refusal | null {
  const policies = options.policies.filter(({ isAboutPlaces }) => isAboutPlaces === true);
  const refused = refusalOf(policies, new Proposal({ ...request, changes }, proposal.store));
  if (refused === null) return null;
  const renames = namedPaths(moved.map(({ from, to }) => `${cleanLine(from, 200)} is now ${cleanLine(to, 200)}`));
  return { ...refused, reason: `${refused.reason} (Renamed meanwhile: ${renames}.)` };
}

function append(
  { options, request, proposal }: Asked,
  record: NewRecord,
  outcome: SettledOutcome,
  mergedBlobs: readonly NewBlob[],
): Promise<Answer> {
  const attached = request.attach?.(outcome) ?? [];
  // The log leaves out what it has.
  const named = proposal.namedContents();
  const blobs = mergedBlobs.length === 0 ? named : [...named, ...mergedBlobs];
  const appending = options.ledger.append({ records: [record, ...attached], blobs });
  return appending.then((appended) => (appended.ok ? ok(outcome) : err(appended.error)));
}

/** A stale resolution is refused, and the object gets the head's sides as they are now for the next attempt. */
async function refresh({ options }: Asked, plan: Extract<Plan, { kind: "stale" }>): Promise<Answer> {
  const { ledger, clock } = options;
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

function proposalStore(ledger: Ledger, state: VcsState): ProposalStore {
  let [names, of] = [new CaseIndex(), state.versions];
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
    stands(path) {
      const row = state.versions.head(path);
      return row !== -1 && !state.versions.isDeleted(row);
    },
    headEntry: (path) => headEntry(state, path),
    sameButCase: (path, isLeft) => {
      // The import begins a table of its own.
      if (of !== state.versions) [names, of] = [new CaseIndex(), state.versions];
      return names.sameButCase(of, path, isLeft);
    },
    *headPaths(directory) {
      for (const path of state.versions.names()) {
        if (path.startsWith(`${directory}/`) && headEntry(state, path) !== null) yield path;
      }
    },
  };
}

export function otherRequest(key: CommitKey): Refusal {
  return refusal("key", `The key ${key} was used for a commit with other changes. Commit these under a new key.`);
}
