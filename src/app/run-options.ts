// What a run was started with on the command line, kept in its log, so that it goes on under the same budget, limits and addresses.
// No key is among it. What configuration files say is read again when the run goes on.

import { flag, list, nullable, object, oneOf, type Parsed, parse, real, text } from "../base/parse.ts";
import { unwrap } from "../base/result.ts";
import type { Fold } from "../log/fold.ts";
import type { NewRecord } from "../log/log.ts";
import { isObjectWith, plainCodec } from "../log/plain-codec.ts";
import { SANDBOX_MODES } from "./approval-settings.ts";
import { PROVIDER_KINDS } from "./provider-kinds.ts";
import type { Settings } from "./settings.ts";
import type { RunFlags } from "./swarm-types.ts";

const recordType = "run_options";
/** 2: what the sandbox leaves open. */
const recordVersion = 2;

const number = nullable(real);
const options = object({
  /** `<provider>=<url>`. */
  base_urls: list(text(4_000), 20),
  budget_usd: number,
  requests: number,
  tasks: number,
  depth: number,
  minutes: number,
  workers: number,
  check: nullable(text(100_000)),
  /** What holds, whoever set it: the screens show it. */
  budget_in_force_usd: number,
  requests_per_minute: number,
  record: nullable(text(4_096)),
  sandbox: nullable(oneOf(...SANDBOX_MODES)),
  network: nullable(flag),
  /** Absolute. */
  writable: nullable(list(text(4_096), 1_000)),
});

export type RunOptionsData = Parsed<typeof options>;

/** The newest options; null before the first. */
export const runOptionsFold: Fold<{ options: RunOptionsData | null }> = {
  name: "run-options",
  version: 2,
  types: { [recordType]: recordVersion },
  codec: plainCodec((value): value is { options: RunOptionsData | null } => isObjectWith(value, "options")),
  initial: () => ({ options: null }),
  apply(state, { type, version, data, position }) {
    if (type === recordType)
      state.options = unwrap(parse(options, upgraded(version, data), type), `record ${position}`);
  },
};

function upgraded(version: number, data: unknown): unknown {
  const before2 = version === 1 && typeof data === "object" && data !== null;
  return before2 ? { ...data, sandbox: null, network: null, writable: null } : data;
}

/** `settings` are what the flags were resolved to: a bare address then has its provider. */
export function runOptionsRecord(atMs: number, flags: RunFlags, settings: Settings): NewRecord {
  const data: RunOptionsData = {
    base_urls: PROVIDER_KINDS.flatMap((kind) => {
      const { baseUrl } = settings.providers[kind];
      return baseUrl.kind === "known" && baseUrl.origin.kind === "flag" ? [`${kind}=${baseUrl.value}`] : [];
    }),
    budget_usd: flags.budgetUsd ?? null,
    requests: flags.requests ?? null,
    tasks: flags.tasks ?? null,
    depth: flags.depth ?? null,
    minutes: flags.minutes ?? null,
    workers: flags.workers ?? null,
    check: flags.check ?? null,
    budget_in_force_usd: settings.limits.budgetUsd?.value ?? null,
    requests_per_minute: flags.requestsPerMinute ?? null,
    record: flags.record ?? null,
    sandbox: SANDBOX_MODES.find((mode) => mode === flags.sandbox) ?? null,
    network: flags.network ?? null,
    writable: flags.writable ?? null,
  };
  return { type: recordType, version: recordVersion, atMs, data };
}

/** The flags of a run that goes on: those given now, then those of before. Models are not among them. */
export function withOptions(given: RunFlags, before: RunOptionsData | null): RunFlags {
  if (before === null) return given;
  const { baseUrls = [] } = given;
  return {
    ...given,
    baseUrls: baseUrls.length > 0 ? baseUrls : before.base_urls,
    budgetUsd: given.budgetUsd ?? before.budget_usd ?? undefined,
    requests: given.requests ?? before.requests ?? undefined,
    tasks: given.tasks ?? before.tasks ?? undefined,
    depth: given.depth ?? before.depth ?? undefined,
    minutes: given.minutes ?? before.minutes ?? undefined,
    workers: given.workers ?? before.workers ?? undefined,
    check: given.check ?? before.check ?? undefined,
    requestsPerMinute: given.requestsPerMinute ?? before.requests_per_minute ?? undefined,
    record: given.record ?? before.record ?? undefined,
    sandbox: given.sandbox ?? before.sandbox ?? undefined,
    network: given.network ?? before.network ?? undefined,
    writable: given.writable ?? before.writable ?? undefined,
  };
}
