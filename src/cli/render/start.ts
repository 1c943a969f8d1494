// What a person reads before anything is sent: the run, the repository, who is asked at what price, what it may use.

import type { Limits } from "../../app/limit-settings.ts";
import { originText, type Sourced } from "../../app/origin.ts";
import type { RoleModel } from "../../app/role-models.ts";
import { sandboxLine } from "../../app/sandbox.ts";
import type { SwarmStart } from "../../app/swarm-types.ts";
import { cleanLine } from "../../base/text.ts";
import type { Price, Rates } from "../../model/usage.ts";
import { dollars, plural } from "./figures.ts";

export function startLines(start: SwarmStart): readonly string[] {
  const { info, runId, resumed, roles, check, record, notes } = start;
  const branch = info.branch === null ? "" : ` (${cleanLine(info.branch, 200)})`;
  const lines = [
    `run ${runId} ${resumed ? "goes on in" : "on"} ${cleanLine(info.root, 500)} at ${info.headCommit.slice(0, 12)}${branch}`,
  ];
  if (info.dirty && !resumed)
    lines.push(
      `${info.dirtyPaths} uncommitted ${info.dirtyPaths === 1 ? "path is" : "paths are"} left alone: the run goes on from HEAD`,
    );
  lines.push(...modelLines(roles), ...limitLines(start.limits, start.requestsPerMinute), checkLine(check));
  if (record !== null) lines.push(`traffic with the models is kept, without keys, in ${cleanLine(record, 500)}`);
  for (const note of notes) lines.push(`note: ${cleanLine(note, 1_000)}`);
  lines.push(cleanLine(sandboxLine(start.sandbox), 1_000));
  return lines;
}

/** Roles with one model, named alike and asked alike, are one line. */
export function modelLines(roles: readonly RoleModel[]): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const role of roles) {
    const line = modelLine(role);
    lines.set(line, [...(lines.get(line) ?? []), role.role]);
  }
  return [...lines].map(([line, names]) =>
    names.length === roles.length
      ? `model: ${line}`
      : `model of ${names.map((name) => `${name}s`).join(", ")}: ${line}`,
  );
}

function modelLine({ title, scripted, price, elsewhere, origin }: RoleModel): string {
  const who = scripted ? " (scripted model: no real one is asked)" : "";
  const where =
    elsewhere === null
      ? ""
      : ` at ${cleanLine(elsewhere.value, 300)} (${cleanLine(originText(elsewhere.origin), 300)})`;
  return `${cleanLine(title, 300)}${who}${where}, ${priceText(price)}, from ${cleanLine(originText(origin), 300)}`;
}

/** Per million tokens; `from` where a larger request costs more. */
export function priceText(price: Price | null): string {
  if (price === null) return "price unavailable";
  const from = price.tiers === undefined || price.tiers.length === 0 ? "" : "from ";
  return `${from}${rateText(price)} per million tokens`;
}

function rateText({ inputUsdPerMtok, outputUsdPerMtok }: Rates): string {
  return `$${inputUsdPerMtok} in, $${outputUsdPerMtok} out`;
}

function limitLines(limits: Limits, requestsPerMinute: number | null): readonly string[] {
  const { budgetUsd, requests, tasks, depth, minutes, workers } = limits;
  const budget = budgetUsd === null ? "budget: none" : `budget: ${dollars(budgetUsd.value)}${from(budgetUsd)}`;
  const parts = [
    `${plural(requests.value, "request")}${from(requests)}`,
    `${plural(tasks.value, "task")}${from(tasks)}`,
    `${plural(depth.value, "level")} of planners${from(depth)}`,
    minutes === null ? null : `${minutes.value} min${from(minutes)}`,
    `${plural(workers.value, "worker")} at once${from(workers)}`,
    requestsPerMinute === null ? null : `${plural(requestsPerMinute, "request")} a minute (--requests-per-minute)`,
  ].filter((part) => part !== null);
  return [`${budget}; limits: ${parts.join(", ")}`];
}

function from({ origin }: Sourced<unknown>): string {
  return origin.kind === "default" ? "" : ` (${cleanLine(originText(origin), 300)})`;
}

function checkLine(check: Sourced<string> | null): string {
  return check === null ? "check: none named (--check)" : `check: ${cleanLine(check.value, 500)}${from(check)}`;
}
