// The budget, the requests and the time of a run and all its agents. A request is made only if the most it can cost fits beside what
// the others have under way, and so is each further attempt at one that may have been charged for: what is spent never passes the budget.

import type { AgentId } from "../base/ids.ts";
import type { Clock } from "../host/clock.ts";
import { failureNote } from "../model/failure.ts";
import type { AttemptReport, RequestContext } from "../model/provider.ts";
import { budgetSpent, failedAttempts } from "../model/spent.ts";
import { costUsdMax, type Price } from "../model/usage.ts";
import type { RequestReport } from "./request-report.ts";
import type { RequestLeave, RequestPlan } from "./spec.ts";

/** An answer of fewer tokens is not worth asking for. */
const outputTokensMin = 512;

export interface RunBudgetOptions {
  readonly clock: Clock;
  /** Dollars of the whole run; null is no limit. */
  readonly budgetUsd: number | null;
  readonly minutes: number | null;
  /** Model requests of all agents together. */
  readonly requestsMax: number | null;
  /** Before this process: of a session that goes on. */
  readonly spentUsd?: number;
  readonly requestsMade?: number;
}

export interface Payer {
  readonly agent: AgentId;
  /** Of the agent's model; known where there is a budget. */
  readonly price: Price | null;
  /** Dollars of this agent alone; null is no limit of its own. */
  readonly usdMax: number | null;
}

interface Account {
  spentUsd: number;
  /** The most that one attempt at the request under way can cost. */
  attemptUsd: number;
  /** Attempts at it that may cost something: those that failed, and the one that is under way. */
  attempts: number;
  usdMax: number | null;
}

export class RunBudget {
  private readonly options: RunBudgetOptions;
  private readonly startedMs: number;
  private readonly accounts = new Map<AgentId, Account>();
  private requests: number;
  /** Attempts that failed and may have been charged, with what the accounts hold for them. */
  private failures: { readonly attempts: number; readonly usd: number; readonly last: string | null } = {
    attempts: 0,
    usd: 0,
    last: null,
  };

  constructor(options: RunBudgetOptions) {
    this.options = options;
    this.startedMs = options.clock.monotonicMs();
    this.requests = options.requestsMade ?? 0;
  }

  before({ agent, price, usdMax }: Payer, plan: RequestPlan): RequestLeave {
    const { clock, minutes, requestsMax, budgetUsd } = this.options;
    if (minutes !== null && clock.monotonicMs() - this.startedMs > minutes * 60_000)
      return { kind: "stop", reason: `the time limit of ${minutes} min is reached` };
    if (requestsMax !== null && this.requests >= requestsMax)
      return { kind: "stop", reason: `the limit of ${requestsMax} model requests of the whole run is reached` };
    const account = this.account(agent, usdMax);
    // A leave that went unused holds nothing back any more.
    account.attempts = 0;
    this.requests += 1;
    const rooms = [
      ...(budgetUsd === null ? [] : [{ whose: `the budget of $${budgetUsd}`, usd: budgetUsd - this.takenUsd() }]),
      ...(usdMax === null ? [] : [{ whose: `${agent}'s budget of $${usdMax}`, usd: usdMax - account.spentUsd }]),
    ].sort((a, b) => a.usd - b.usd);
    const [room] = rooms;
    if (room === undefined || price === null) return { kind: "go", outputTokensMax: plan.outputTokensMax };
    const leave = affordable(plan, price, room);
    if (leave.kind === "stop") {
      this.requests -= 1;
      return { kind: "stop", reason: this.blamed(leave.reason, plan, price, room) };
    }
    account.attemptUsd = leave.costUsd;
    account.attempts = 1;
    return leave;
  }

  /** The reason, with what used the budget up besides work, where the request would fit without that. */
  private blamed(reason: string, plan: RequestPlan, price: Price, room: Room): string {
    const { attempts, usd, last } = this.failures;
    if (last === null || affordable(plan, price, { ...room, usd: room.usd + usd }).kind === "stop") return reason;
    return `${reason}; ${failedAttempts({ attempts, usd })}, the last: ${last}`;
  }

  /** Why the request is not tried again; null if it may be. */
  mayRetry({ mayCost }: AttemptReport, { agent }: Pick<RequestContext, "agent">): string | null {
    const account = this.accounts.get(agent);
    if (account === undefined || !mayCost) return null;
    account.attempts += 1;
    const { budgetUsd } = this.options;
    const { usdMax } = account;
    const fits =
      (budgetUsd === null || this.takenUsd() <= budgetUsd) && (usdMax === null || takenBy(account) <= usdMax);
    if (fits) return null;
    account.attempts -= 1;
    return `the budget of $${usdMax !== null && takenBy(account) + account.attemptUsd > usdMax ? usdMax : budgetUsd} has no room for another attempt`;
  }

  after(agent: AgentId, report: Pick<RequestReport, "charges" | "attempts" | "provider">): void {
    const { charges } = report;
    const account = this.account(agent, this.accounts.get(agent)?.usdMax ?? null);
    this.noteFailures(report, account);
    for (const { costUsd } of charges) account.spentUsd += costUsd === "unavailable" ? account.attemptUsd : costUsd;
    account.attempts = 0;
    account.attemptUsd = 0;
  }

  private noteFailures({ attempts, provider }: Pick<RequestReport, "attempts" | "provider">, account: Account): void {
    for (const { mayCost, error } of attempts) {
      if (!mayCost || error === null) continue;
      const usd = this.failures.usd + account.attemptUsd;
      this.failures = { attempts: this.failures.attempts + 1, usd, last: failureNote(error, provider) };
    }
  }

  /** The agent asks no more: what an unused leave of its held back is free. */
  done(agent: AgentId): void {
    const account = this.accounts.get(agent);
    if (account !== undefined) account.attempts = 0;
  }

  /** Spent, and held back for what is under way. */
  private takenUsd(): number {
    let taken = this.options.spentUsd ?? 0;
    for (const account of this.accounts.values()) taken += takenBy(account);
    return taken;
  }

  private account(agent: AgentId, usdMax: number | null): Account {
    const account = this.accounts.get(agent) ?? { spentUsd: 0, attemptUsd: 0, attempts: 0, usdMax };
    account.usdMax = usdMax;
    this.accounts.set(agent, account);
    return account;
  }
}

function takenBy({ spentUsd, attemptUsd, attempts }: Account): number {
  return spentUsd + attempts * attemptUsd;
}

interface Room {
  readonly whose: string;
  readonly usd: number;
}

type Affordable =
  | { readonly kind: "go"; readonly outputTokensMax: number; readonly costUsd: number }
  | { readonly kind: "stop"; readonly reason: string };

function affordable({ system, messages, tools, outputTokensMax }: RequestPlan, price: Price, room: Room): Affordable {
  // A token is at least one byte of what is sent.
  const inputTokens = Buffer.byteLength(JSON.stringify({ system, messages, tools }), "utf8");
  const cost = (outputTokens: number): number => costUsdMax({ inputTokens, outputTokens }, price);
  const perToken = (cost(1_000_000) - cost(0)) / 1_000_000;
  const most = perToken === 0 ? outputTokensMax : Math.floor((room.usd - cost(0)) / perToken);
  const tokens = Math.min(outputTokensMax, most);
  if (tokens < Math.min(outputTokensMin, outputTokensMax) || cost(tokens) > room.usd) {
    const neededUsd = cost(outputTokensMax);
    return { kind: "stop", reason: budgetSpent(room.whose, { leftUsd: Math.max(0, room.usd), neededUsd }) };
  }
  return { kind: "go", outputTokensMax: tokens, costUsd: cost(tokens) };
}
