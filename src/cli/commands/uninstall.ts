// `skein uninstall`: takes our hooks out of the agents' settings again, after showing the change, and only with a yes.

import { Argument } from "commander";
import type { LauncherPlaces, Scope } from "../../app/hooks/places.ts";
import type { FilePlan, HooksError, PlanFor } from "../../app/hooks/plan.ts";
import type { Result } from "../../base/result.ts";
import { HOOKED_CLIENTS, type HookedClient } from "../../clients/launcher-command.ts";
import { explainHooks } from "../hooks-errors.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../json.ts";
import { settingsDiff } from "../render/settings-diff.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const NAMES = [...HOOKED_CLIENTS, "all"] as const;

const help = `
Example:
  $ skein uninstall                           (everywhere they were installed; shows the change, and asks)
  $ skein uninstall codex --yes
  $ skein uninstall --project                 (only this repository's settings)

A file that nobody has changed since \`skein install\` has its old bytes again.`;

export function addUninstall({ program, io, surroundings }: CommandContext): void {
  program
    .command("uninstall")
    .description("take the hooks out of coding agents' settings again")
    .addArgument(new Argument("[clients...]", "which agents; all by default").choices(NAMES))
    .option("--user", "only from your own settings")
    .option("--project", "only from this repository's settings")
    .option("--yes", "write without asking")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (named: readonly (typeof NAMES)[number][], flags: Flags) => {
      const { planUninstall } = await import("../../app/hooks/plan-removal.ts");
      const { launcherPlaces } = await import("../../app/hooks/places.ts");
      const json = flags.json === true;
      const places = launcherPlaces(surroundings.env);
      if (!places.ok) return fail(io, explainHooks(places.error), json);
      const chosen = new Set(named.filter((one) => one !== "all"));
      const clients = named.length > 0 && !named.includes("all") ? [...chosen] : HOOKED_CLIENTS;
      const plans = await planUninstall(surroundings, clients, scopesOf(flags));
      const outcomes = await carryOut({ plans, flags, io, surroundings, places: places.value });
      if (json) io.out(jsonLine({ files: outcomes }));
    });
}

function scopesOf({ user, project }: Flags): readonly Scope[] {
  if (user === project) return ["user", "project"];
  return user === true ? ["user"] : ["project"];
}

interface Work {
  readonly plans: readonly PlanFor<FilePlan>[];
  readonly flags: Flags;
  readonly io: Io;
  readonly surroundings: CommandContext["surroundings"];
  readonly places: LauncherPlaces;
}

interface Outcome {
  readonly client: HookedClient;
  readonly state: "uninstalled" | "not-confirmed" | "refused";
  readonly path: string | null;
  readonly error: string | null;
}

async function carryOut({ plans, flags, io, surroundings, places }: Work): Promise<readonly Outcome[]> {
  const { applyUninstall, finishUninstall } = await import("../../app/hooks/apply.ts");
  const say = flags.json === true ? io.note : io.out;
  const outcomes: Outcome[] = [];
  for (const { client, plan } of plans) {
    if (plan.ok) say(settingsDiff(plan.value, io.colors));
    else outcomes.push(refused(io, client, null, plan.error));
  }
  const good = plans.flatMap(({ plan }) => (plan.ok ? [plan.value] : []));
  const agreed = good.length > 0 && (flags.yes === true || (await io.ask('type "yes" to write this: ')) === "yes");
  if (good.length > 0 && !agreed) {
    say("nothing was changed");
    say("add --yes to write it");
    io.exitCode = 1;
    return [...outcomes, ...good.map((plan) => outcome(plan, "not-confirmed"))];
  }
  const { exclusively } = await import("../../app/hooks/exclusive.ts");
  const applied = await exclusively(surroundings, async () => {
    const results: Result<void, HooksError>[] = [];
    for (const plan of good) results.push(await applyUninstall(surroundings, places, plan));
    return results;
  });
  for (const [index, plan] of good.entries()) {
    const one = applied.ok ? applied.value[index] : applied;
    if (one?.ok === false) {
      outcomes.push(refused(io, plan.client.client, plan.file.path, one.error));
      continue;
    }
    outcomes.push(outcome(plan, "uninstalled"));
    say(`${plan.client.title}: what skein put there is taken out of ${plan.file.path}`);
  }
  if (good.length === 0 && outcomes.length === 0) say("no hooks of skein's were found");
  // Where a file could not be read, it may still name the launcher.
  if (outcomes.every(({ state }) => state === "uninstalled") && (await finishUninstall(surroundings, places)))
    say("the launcher is removed; what sessions recorded stays in the state directory");
  return outcomes;
}

function refused(io: Io, client: HookedClient, path: string | null, error: HooksError): Outcome {
  const explanation = explainHooks(error);
  fail(io, explanation, false);
  return { client, state: "refused", path, error: explanation.what };
}

function outcome({ client, file }: FilePlan, state: Outcome["state"]): Outcome {
  return { client: client.client, state, path: file.path, error: null };
}
