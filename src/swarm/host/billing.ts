// One job's bill: every request is let through by the coordinator before it is made and settled after it. Another attempt at a
// request is let through too: the one before may have cost something, and the run may be stopping.

import { attemptsSent, type RequestReport } from "../../agent/request-report.ts";
import type { RecordedRequest } from "../../agent/session-line.ts";
import type { RequestLeave, RequestPlan } from "../../agent/spec.ts";
import { assert } from "../../base/assert.ts";
import type { FileError } from "../../host/files.ts";
import { billedFailure } from "../../model/failure.ts";
import type { AttemptReport } from "../../model/provider.ts";
import { costUsdMax, type Price } from "../../model/usage.ts";
import type { Answers, HostAsk, Job } from "../../protocol/messages.ts";
import type { CoordinatorClient } from "./client.ts";

type Begin = Extract<HostAsk, { kind: "request_begin" }>;
type Told = Pick<
  RecordedRequest,
  "turn" | "attempts" | "usage" | "costUsd" | "durationMs" | "provider" | "error" | "outcome"
>;

interface Settling {
  readonly again: boolean;
  /** Why its answer is lost. */
  readonly lost: string | null;
  readonly heldCharged: boolean;
}

export class Billing {
  readonly #client: CoordinatorClient;
  readonly #job: Job;
  /** As the coordinator let it through; null before the first. */
  #request: Pick<Begin, "turn" | "priced" | "outputTokensMax"> | null = null;
  /** Let through, and not made yet. */
  #unused: number | null = null;
  /** Attempts at it that are charged already, since they broke. */
  #broken = 0;
  #bytesBilled = 0;
  #bytesPlanned = 0;
  #pausing: string | null = null;

  constructor(client: CoordinatorClient, job: Job) {
    this.#client = client;
    this.#job = job;
  }

  /** Why the run stops, where it is this that kept a request from being made. */
  get pausing(): string | null {
    return this.#pausing;
  }

  async before(plan: RequestPlan, price: Price | null): Promise<RequestLeave> {
    const { turn, outputTokensMax } = plan;
    const priced = this.#bounds(plan, price);
    this.#broken = 0;
    const answer = await this.#begin({ turn, priced, outputTokensMax, after: null, failed: null });
    if (answer.kind === "stop") return { kind: "stop", reason: answer.reason };
    this.#request = { turn, priced, outputTokensMax: answer.outputTokensMax };
    this.#unused = turn;
    return answer;
  }

  /** Null where the request may be sent once more, else why not. Never rejects. */
  async mayRetry({ mayCost, error }: AttemptReport): Promise<string | null> {
    assert(this.#request !== null, "an attempt is made at a request that was let through");
    try {
      const failed = error === null ? null : billedFailure(error);
      const answer = await this.#begin({ ...this.#request, after: mayCost ? "broken" : "refused", failed });
      if (answer.kind === "stop") return answer.reason;
      if (mayCost) this.#broken += 1;
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** `unrecorded`: why its answer is lost, so that it is asked for again; else null. */
  async after(report: RequestReport, unrecorded: FileError | null): Promise<void> {
    const attempts = attemptsSent(report);
    // The run stopped while it waited for its turn: it is asked again, and is counted then.
    if (attempts === 0 && report.outcome === "aborted") return this.#withdraw(report.turn);
    this.#unused = null;
    if (typeof report.usage.inputTokens === "number" && report.charges.length === 1)
      this.#bytesBilled = this.#bytesPlanned;
    const lost = unrecorded === null ? null : `its answer could not be recorded: ${unrecorded.message}`;
    const heldCharged = report.charges.length > this.#broken;
    await this.#settle({ ...report, attempts }, { again: false, lost, heldCharged });
  }

  /** No request is made any more: one that was let through is given back. */
  async close(): Promise<void> {
    if (this.#unused !== null) await this.#withdraw(this.#unused);
  }

  /** After a crash: the last request may be in the transcript and not in the bill. The coordinator knows. */
  async again(request: RecordedRequest): Promise<void> {
    await this.#settle(request, { again: true, lost: null, heldCharged: true });
  }

  async #withdraw(turn: number): Promise<void> {
    this.#unused = null;
    await this.#client.ask({ kind: "request_withdrawn", lease: this.#job.lease, turn });
  }

  async #begin(request: Omit<Begin, "kind" | "lease">): Promise<Answers["request_begin"]> {
    const answer = await this.#client.ask({ kind: "request_begin", lease: this.#job.lease, ...request });
    if (answer.kind === "stop" && answer.pause) this.#pausing = answer.reason;
    return answer;
  }

  async #settle(request: Told, { again, lost, heldCharged }: Settling): Promise<void> {
    const { turn, usage, costUsd, durationMs, provider, attempts } = request;
    const { inputTokens, cachedTokens, outputTokens } = usage;
    await this.#client.ask({
      kind: "request_done",
      lease: this.#job.lease,
      again,
      model: provider,
      turn,
      attempts,
      usage: { inputTokens, cachedTokens, outputTokens },
      costUsd,
      heldCharged,
      durationMs,
      failed: failureOf(request) ?? lost,
    });
  }

  /** The most this request can cost. A token is at least one byte of what is sent; what the last request had is known exactly. */
  #bounds({ system, messages, tools, lastUsage }: RequestPlan, price: Price | null): Begin["priced"] {
    this.#bytesPlanned = byteLength({ system, messages, tools });
    if (price === null) return null;
    const known = lastUsage?.inputTokens;
    const fresh = this.#bytesPlanned - this.#bytesBilled;
    const inputTokens =
      typeof known === "number" && this.#bytesBilled > 0 ? known + Math.max(0, fresh) : this.#bytesPlanned;
    const inputUsd = costUsdMax({ inputTokens, outputTokens: 0 }, price);
    const perMillion = costUsdMax({ inputTokens, outputTokens: 1_000_000 }, price) - inputUsd;
    return { inputUsd, outputUsdPerToken: perMillion / 1_000_000 };
  }
}

/** Null for a request that was answered. */
function failureOf({ error, outcome }: Told): string | null {
  if (error !== null) return billedFailure(error);
  return outcome === "aborted" ? "aborted" : null;
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), "utf8");
}
