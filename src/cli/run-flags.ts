// Flags of the commands that ask models: what they are called, and what they say as settings.

import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { SANDBOX_MODES } from "../app/approval-settings.ts";
import type { RunFlags } from "../app/swarm-types.ts";
import { wholeNumber } from "./commands/command.ts";

/** As commander gives them: what is not given is left out. */
export interface AskingFlags {
  readonly model?: string;
  readonly child?: string;
  readonly planner?: string;
  readonly worker?: string;
  readonly arbiter?: string;
  readonly baseUrl?: readonly string[];
  readonly budget?: number;
  readonly maxRequests?: number;
  readonly maxTasks?: number;
  readonly maxDepth?: number;
  readonly maxMinutes?: number;
  readonly requestsPerMinute?: number;
  readonly record?: string;
  readonly workers?: number;
  readonly check?: string;
  readonly approval?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly sandbox?: string;
  readonly network?: boolean;
  readonly writable?: readonly string[];
}

/** Of every command that asks a model. */
export function addAskingFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--base-url <url>", "where a provider is asked: <provider>=<url>, or <url> (repeatable)").argParser(
        gathered,
      ),
    )
    .option("--budget <usd>", "dollars of the whole run; no request is made that could pass it", amount)
    .option("--max-minutes <n>", "time of the whole run", amount)
    .option("--requests-per-minute <n>", "model requests a minute, of each provider's host and key", wholeNumber)
    .option("--record <dir>", "keep the traffic with the models there, without keys; replay:<dir> answers from it");
}

/** Of every command whose agents run shell commands. */
export function addSandboxFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--sandbox <mode>", "of shell commands: auto, or off: they have your rights").choices([
        ...SANDBOX_MODES,
      ]),
    )
    .option("--network", "shell commands in the sandbox reach the network")
    .addOption(
      new Option("--writable <path>", "shell commands in the sandbox may write there, too (repeatable)").argParser(
        gathered,
      ),
    );
}

export function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function settingsOf(flags: AskingFlags, cwd: string): RunFlags {
  return {
    model: flags.model,
    child: flags.child,
    planner: flags.planner,
    worker: flags.worker,
    arbiter: flags.arbiter,
    baseUrls: flags.baseUrl,
    budgetUsd: flags.budget,
    requests: flags.maxRequests,
    tasks: flags.maxTasks,
    depth: flags.maxDepth,
    minutes: flags.maxMinutes,
    workers: flags.workers,
    check: flags.check,
    approval: flags.approval,
    allow: flags.allow,
    deny: flags.deny,
    sandbox: flags.sandbox,
    network: flags.network,
    writable: flags.writable?.map((path) => resolve(cwd, path)),
    requestsPerMinute: flags.requestsPerMinute,
    record: flags.record === undefined ? undefined : resolve(cwd, flags.record),
  };
}

const daysMax = 36_500;

/** An age in days, part of a day included: 0 is anything that has ended. */
export function days(text: string): number {
  const value = amount(text);
  // Also the zero with a sign.
  if (text.includes("-") || value > daysMax)
    throw new InvalidArgumentError(`A number of days from 0 to ${daysMax} is needed.`);
  return value;
}

/** Whether it lies within the limits is the settings' to say. */
export function amount(text: string): number {
  if (!/^-?\d{1,9}(\.\d{1,9})?$/.test(text.trim())) throw new InvalidArgumentError("A number such as 2.50 is needed.");
  return Number(text);
}
