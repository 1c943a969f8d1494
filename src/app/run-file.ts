// `run.json` in a lone run's directory: what it was started with, so that it goes on in the same place, with the same model, budget and
// limits. No key is among it. Written before anything is asked; a resumed run writes what holds from then on.

import { join } from "node:path";
import { APPROVAL_MODES } from "../agent/approval/mode.ts";
import { flag, list, nullable, object, oneOf, type Parsed, type Parser, parse, real, text } from "../base/parse.ts";
import type { FileResult, Files } from "../host/files.ts";
import { SANDBOX_MODES } from "./approval-settings.ts";
import { modelNameText } from "./model-names.ts";
import { PROVIDER_KINDS } from "./provider-kinds.ts";
import type { LoneLimits } from "./run-types.ts";
import type { Settings } from "./settings.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { RunFlags } from "./swarm-types.ts";

const version = 1;
const fileBytesMax = 16 * 1024 * 1024;

const number = nullable(real);
/** A field that files of earlier versions lack. */
const optional = <T>(parser: Parser<T>): Parser<T | null> => {
  return (value, at) => nullable(parser)(value ?? null, at);
};

const file = object({
  version: real,
  /** Where the agent works, without symlinks. */
  directory: text(4_096),
  task: text(2_000_000),
  /** What was to be done next when it was last resumed; null for nothing new. It may not have got into the transcript. */
  next: nullable(text(2_000_000)),
  /** Null where it came from a configuration file, which is read again. */
  model: nullable(text(4_096)),
  base_urls: list(text(4_000), 20),
  budget_usd: number,
  requests: number,
  minutes: number,
  requests_per_minute: number,
  record: nullable(text(4_096)),
  turns: number,
  parallel: number,
  children_at_once: number,
  children: number,
  depth: number,
  child_minutes: number,
  child_budget_usd: number,
  child_turns: number,
  stagger: nullable(flag),
  context_tokens: number,
  tools: optional(list(text(100), 100)),
  approval: optional(oneOf(...APPROVAL_MODES)),
  allow: optional(list(text(1_000), 1_000)),
  deny: optional(list(text(1_000), 1_000)),
  sandbox: optional(oneOf(...SANDBOX_MODES)),
  network: optional(flag),
  writable: optional(list(text(4_096), 1_000)),
  child_contexts: optional(list(oneOf("task-only", "full", "no-tools"), 3)),
});

export type RunFile = Parsed<typeof file>;

export interface Started {
  readonly directory: string;
  readonly task: string;
  readonly next: string | null;
  readonly flags: RunFlags;
  readonly limits: LoneLimits;
  readonly settings: Settings;
}

export async function writeRunFile(files: Files, { run }: RunDirectories, started: Started): FileResult<void> {
  const fresh = join(run, "run.json.new");
  const written = await files.write(fresh, Buffer.from(`${JSON.stringify(contentOf(started))}\n`));
  if (!written.ok) return written;
  const renamed = await files.rename(fresh, pathOf(run));
  return renamed.ok ? files.syncDirectory(run) : renamed;
}

/** Null where there is none, or none that can be read. */
export async function readRunFile(files: Files, { run }: RunDirectories): Promise<RunFile | null> {
  const bytes = await files.read(pathOf(run), fileBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(file, JSON.parse(new TextDecoder().decode(bytes.value)), "run.json");
    return parsed.ok && parsed.value.version === version ? parsed.value : null;
  } catch {
    return null;
  }
}

function pathOf(run: string): string {
  return join(run, "run.json");
}

function contentOf({ directory, task, next, flags, limits, settings }: Started): RunFile {
  const { model } = settings.roles.solo;
  const fromFile = model === null || model.origin.kind === "user" || model.origin.kind === "project";
  return {
    version,
    directory,
    task,
    next,
    model: fromFile ? null : modelNameText(model.value),
    base_urls: PROVIDER_KINDS.flatMap((kind) => {
      const { baseUrl } = settings.providers[kind];
      return baseUrl.kind === "known" && baseUrl.origin.kind === "flag" ? [`${kind}=${baseUrl.value}`] : [];
    }),
    budget_usd: flags.budgetUsd ?? null,
    requests: flags.requests ?? null,
    minutes: flags.minutes ?? null,
    requests_per_minute: flags.requestsPerMinute ?? null,
    record: flags.record ?? null,
    turns: limits.turnsMax ?? null,
    parallel: limits.parallel ?? null,
    children_at_once: limits.childrenAtOnce ?? null,
    children: limits.childrenMax ?? null,
    depth: limits.depthMax ?? null,
    child_minutes: limits.childMinutes ?? null,
    child_budget_usd: limits.childBudgetUsd ?? null,
    child_turns: limits.childTurnsMax ?? null,
    stagger: limits.stagger ?? null,
    context_tokens: limits.contextTokens ?? null,
    tools: limits.tools ?? null,
    approval: APPROVAL_MODES.find((mode) => mode === flags.approval) ?? null,
    allow: flags.allow ?? null,
    deny: flags.deny ?? null,
    sandbox: SANDBOX_MODES.find((mode) => mode === flags.sandbox) ?? null,
    network: flags.network ?? null,
    writable: flags.writable ?? null,
    child_contexts: limits.childContexts ?? null,
  };
}

/** What holds for a run that goes on: what is said now, then what it was started with. */
export function withRunFile(
  given: { readonly flags: RunFlags; readonly limits: LoneLimits },
  before: RunFile,
): { readonly flags: RunFlags; readonly limits: LoneLimits } {
  const { flags, limits } = given;
  const { baseUrls = [] } = flags;
  return {
    flags: {
      ...flags,
      model: flags.model ?? before.model ?? undefined,
      baseUrls: baseUrls.length > 0 ? baseUrls : before.base_urls,
      budgetUsd: flags.budgetUsd ?? before.budget_usd ?? undefined,
      requests: flags.requests ?? before.requests ?? undefined,
      minutes: flags.minutes ?? before.minutes ?? undefined,
      requestsPerMinute: flags.requestsPerMinute ?? before.requests_per_minute ?? undefined,
      record: flags.record ?? before.record ?? undefined,
      approval: flags.approval ?? before.approval ?? undefined,
      allow: flags.allow ?? before.allow ?? undefined,
      // What was forbidden stays so.
      deny: before.deny === null ? flags.deny : [...new Set([...(flags.deny ?? []), ...before.deny])],
      sandbox: flags.sandbox ?? before.sandbox ?? undefined,
      network: flags.network ?? before.network ?? undefined,
      writable: flags.writable ?? before.writable ?? undefined,
    },
    limits: {
      turnsMax: limits.turnsMax ?? before.turns ?? undefined,
      parallel: limits.parallel ?? before.parallel ?? undefined,
      childrenAtOnce: limits.childrenAtOnce ?? before.children_at_once ?? undefined,
      childrenMax: limits.childrenMax ?? before.children ?? undefined,
      depthMax: limits.depthMax ?? before.depth ?? undefined,
      childMinutes: limits.childMinutes ?? before.child_minutes ?? undefined,
      childBudgetUsd: limits.childBudgetUsd ?? before.child_budget_usd ?? undefined,
      childTurnsMax: limits.childTurnsMax ?? before.child_turns ?? undefined,
      stagger: limits.stagger ?? before.stagger ?? undefined,
      contextTokens: limits.contextTokens ?? before.context_tokens ?? undefined,
      tools: limits.tools ?? before.tools ?? undefined,
      childContexts: limits.childContexts ?? before.child_contexts ?? undefined,
    },
  };
}
