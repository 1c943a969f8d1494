// `skein install`: puts our hooks into the agents' own settings, after showing the change, and only with a yes.

import { Argument } from "commander";
import type { LauncherPlaces } from "../../app/hooks/places.ts";
import type { HooksError, InstallOptions, InstallPlan, PlanFor } from "../../app/hooks/plan.ts";
import type { Result } from "../../base/result.ts";
import { HOOKED_CLIENTS, type HookedClient } from "../../clients/launcher-command.ts";
import { versionText } from "../../clients/version.ts";
import { explainHooks } from "../hooks-errors.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { settingsDiff } from "../render/settings-diff.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly statusline?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const NAMES = [...HOOKED_CLIENTS, "all"] as const;

const help = `
Example:
  $ skein install                             (the agents on this machine; shows the change, and asks)
  $ skein install all --yes                   (the same, without asking)
  $ skein install gemini
  $ skein install claude-code --statusline    (also its status line: how many other sessions wait for you)
  $ skein install codex --project             (in this repository's own settings)

Hooks tell each session who else works on the repository, on which files and what for. They never block an agent. The MCP server gives
agents tools for notes (docs/memory.md), which one rule in their permissions lets run unasked where there is such a rule. Everything else in the settings stays as it is, byte for byte; \`skein uninstall\` takes them out again. See docs/install.md.`;

export function addInstall({ program, io, surroundings }: CommandContext): void {
  program
    .command("install")
    .description("put hooks and an MCP server into coding agents' own settings, so that sessions know of each other")
    .addArgument(new Argument("[clients...]", "which agents; all: those on this machine, as by default").choices(NAMES))
    .option("--user", "in your own settings (default)")
    .option("--project", "in the repository's settings")
    .option("--statusline", "also Claude Code's status line, in your own settings")
    .option("--yes", "write without asking")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (named: readonly (typeof NAMES)[number][], flags: Flags) => {
      const { clientsHere, planInstall } = await import("../../app/hooks/plan.ts");
      const { launcherPlaces } = await import("../../app/hooks/places.ts");
      const json = flags.json === true;
      if (flags.user === true && flags.project === true)
        return fail(
          io,
          { what: "--user and --project exclude each other", next: "name one of them", exitCode: 2 },
          json,
        );
      if (flags.project === true && flags.statusline === true)
        return fail(
          io,
          { what: "--statusline is for your own settings", next: "leave --project out", exitCode: 2 },
          json,
        );
      const places = launcherPlaces(surroundings.env);
      if (!places.ok) return fail(io, explainHooks(places.error), json);
      const clients = await clientsHere(surroundings, named);
      if (!clients.ok) return fail(io, explainHooks(clients.error), json);
      const plans = await planInstall(surroundings, clients.value, optionsOf(flags));
      const outcomes = await carryOut({ plans, flags, io, surroundings, places: places.value });
      if (json) io.out(jsonLine({ clients: outcomes }));
    });
}

interface Work {
  readonly plans: readonly PlanFor<InstallPlan>[];
  readonly flags: Flags;
  readonly io: Io;
  readonly surroundings: CommandContext["surroundings"];
  readonly places: LauncherPlaces;
}

interface Outcome {
  readonly client: HookedClient;
  readonly state: "installed" | "unchanged" | "not-confirmed" | "refused";
  readonly path: string | null;
  readonly events: readonly string[];
  readonly leftOut: readonly string[];
  readonly error: string | null;
}

async function carryOut({ plans, flags, io, surroundings, places }: Work): Promise<readonly Outcome[]> {
  const { exclusively } = await import("../../app/hooks/exclusive.ts");
  const say = flags.json === true ? io.note : io.out;
  const outcomes: Outcome[] = [];
  const good = plans.flatMap(({ plan }) => (plan.ok ? [plan.value] : []));
  for (const { client, plan } of plans) {
    if (plan.ok) for (const line of planLines(plan.value, io)) say(line);
    else outcomes.push(refused(io, client, plan.error));
  }
  const changes = good.filter(isChange);
  const agreed = changes.length === 0 || flags.yes === true || (await io.ask('type "yes" to write this: ')) === "yes";
  if (!agreed) {
    say("nothing was changed");
    say("add --yes to write it");
    io.exitCode = 1;
    return [...outcomes, ...good.map((plan) => outcome(plan, "not-confirmed"))];
  }
  const applied = await exclusively(surroundings, () => applyAll(good, { flags, surroundings, places }));
  for (const [index, plan] of good.entries()) {
    const one = applied.ok ? applied.value[index] : applied;
    if (one?.ok === false) {
      outcomes.push({ ...refused(io, plan.client.client, one.error), path: plan.file.path });
      continue;
    }
    const changed = isChange(plan);
    outcomes.push(outcome(plan, changed ? "installed" : "unchanged"));
    say(
      changed
        ? `${plan.client.title}: ${plural(plan.events.entries.length, "hook")} installed in ${plan.file.path}`
        : `${plan.client.title}: the hooks are installed already in ${plan.file.path}`,
    );
    for (const { file } of plan.more) say(`  its MCP server in ${file.path}`);
    for (const note of plan.notes) say(`  ${note}`);
  }
  if (changes.length > 0)
    say("sessions that run already take part once they are started anew; skein doctor shows what fires");
  return outcomes;
}

/** One result for each plan, in their order. */
async function applyAll(
  plans: readonly InstallPlan[],
  { flags, surroundings, places }: Pick<Work, "flags" | "surroundings" | "places">,
): Promise<readonly Result<void, HooksError>[]> {
  const { applyInstallAnew, prepareInstall } = await import("../../app/hooks/apply.ts");
  const options = optionsOf(flags);
  const prepared = plans.length === 0 ? null : await prepareInstall(surroundings, places);
  const results: Result<void, HooksError>[] = [];
  for (const plan of plans)
    results.push(prepared?.ok === false ? prepared : await applyInstallAnew(surroundings, places, plan, options));
  return results;
}

function optionsOf({ project, statusline }: Flags): InstallOptions {
  return { scope: project === true ? "project" : "user", statusLine: statusline === true };
}

function isChange(plan: InstallPlan): boolean {
  return [plan, ...plan.more].some(({ before, after }) => before !== after);
}

function planLines(plan: InstallPlan, io: Io): readonly string[] {
  const { client, found, events } = plan;
  const lines: string[] = [];
  if (found.kind === "version") lines.push(`${client.title} ${versionText(found.version)}`);
  else
    lines.push(
      `${client.title}: ${found.kind === "missing" ? `\`${client.program}\` is not on the PATH` : "its version cannot be told"}, so only events that every version knows`,
    );
  if (found.kind === "version" && events.leftOut.length > 0)
    lines.push(`  left out, since this version does not know them: ${events.leftOut.join(", ")}`);
  for (const one of [plan, ...plan.more]) if (one.before !== one.after) lines.push(settingsDiff(one, io.colors));
  return lines;
}

function refused(io: Io, client: HookedClient, error: HooksError): Outcome {
  const explanation = explainHooks(error);
  fail(io, explanation, false);
  return { client, state: "refused", path: null, events: [], leftOut: [], error: explanation.what };
}

function outcome({ client, file, events }: InstallPlan, state: Outcome["state"]): Outcome {
  return {
    client: client.client,
    state,
    path: file.path,
    events: events.entries.map(({ event }) => event),
    leftOut: events.leftOut,
    error: null,
  };
}
