// Doctor's part for the hooks: for each agent on this machine whether they are installed, would run, and have been seen running.

import { unreachable } from "../../base/assert.ts";
import { ok, type Result } from "../../base/result.ts";
import { CLIENT_SETTINGS } from "../../clients/all-settings.ts";
import { decode } from "../../clients/hooks-file/document.ts";
import { HOOKED_CLIENTS } from "../../clients/launcher-command.ts";
import type { ClientSettings } from "../../clients/settings.ts";
import { versionText } from "../../clients/version.ts";
import { recentFaults } from "../../sessions/presence/faults.ts";
import { type Firing, firings } from "../../sessions/presence/firing.ts";
import type { Finding } from "../doctor.ts";
import { openPresence, type Presence } from "../presence.ts";
import type { Surroundings } from "../surroundings.ts";
import { anothersWork } from "./age.ts";
import { codexApproval } from "./approval.ts";
import { type AllFiles, readClientFiles, serverFile } from "./client-files.ts";
import { type FoundClient, findClient } from "./client-version.ts";
import { checkLauncher } from "./launcher-check.ts";
import { commandFor, launcherPlaces, type Scope } from "./places.ts";
import type { HooksError } from "./plan.ts";
import { readSettings } from "./settings-file.ts";

export async function hookFindings(surroundings: Surroundings): Promise<readonly Finding[]> {
  const presence = await openPresence(surroundings);
  const fired = presence.ok ? await firings(presence.value.registry) : new Map<string, Firing>();
  // Some take seconds to say which version they are.
  const asked = HOOKED_CLIENTS.map((name) =>
    clientFinding(surroundings, CLIENT_SETTINGS[name], fired.get(name) ?? null),
  );
  const findings = (await Promise.all(asked)).filter((finding) => finding !== null);
  const faults = [await launcherFault(surroundings), presence.ok ? await hookFault(presence.value) : null];
  return [...findings, ...faults.filter((fault) => fault !== null)];
}

/** Null where there is neither the agent nor a hook of ours. */
async function clientFinding(
  surroundings: Surroundings,
  client: ClientSettings,
  fired: Firing | null,
): Promise<Finding | null> {
  const name = `${client.client} hooks`;
  const found = await findClient(surroundings, client);
  const [user, project] = [await look(surroundings, client, "user"), await look(surroundings, client, "project")];
  for (const seen of [user, project]) if (!seen.ok) return absent(name, problemOf(seen.error), "mend it");
  const seen = [user, project].flatMap((one) => (one.ok && one.value.events.length > 0 ? [one.value] : []));
  // In the home directory the two are one.
  const places = seen.filter(({ files }, index) => index === 0 || files.directory !== seen[0]?.files.directory);
  const install = `skein install ${client.client}`;
  if (places.length === 0)
    return found.kind === "missing" ? null : absent(name, `${titleOf(client, found)}: not installed`, install);
  const where = `${titleOf(client, found)}: in ${places.flatMap(({ paths }) => paths).join(" and ")}`;
  const off = places.map(({ files }) => client.switchedOff(files.texts)).find((why) => why !== null);
  if (off) return absent(name, `${where}; all hooks are switched off: ${off}`, "switch them on there");
  const launcher = await launcherState(surroundings, places, install);
  if (launcher.kind === "hurdle") return absent(name, `${where}; ${launcher.what}`, launcher.remedy);
  const hurdle = await hurdleOf(surroundings, client, { found, places, install });
  if (hurdle !== null) return absent(name, `${where}; ${hurdle.what}`, hurdle.remedy);
  const last = `${launcher.what}; last seen firing ${fired === null ? "never yet" : timeText(fired.lastAt)}`;
  const installed = places.map((place) => ({ ...place, texts: place.files.texts }));
  const version = found.kind === "version" ? found.version : null;
  const work = await anothersWork(surroundings, client, { installed, version });
  const detail = `${where}${work === null ? "" : `; ${work} of another Skein, which may be slower`}; ${last}`;
  const renew = work === null ? null : `${install} renews what is another's`;
  if (fired === null) return absent(name, detail, renew ?? "start a new session");
  return { name, state: "ok", detail, remedy: renew };
}

interface Installed {
  readonly scope: Scope;
  readonly events: readonly string[];
  /** As they stand there. */
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly files: AllFiles;
}

interface Situation {
  readonly found: FoundClient;
  readonly places: readonly Installed[];
  readonly install: string;
}

type LauncherState =
  | { readonly kind: "runs"; readonly what: string }
  | { readonly kind: "hurdle"; readonly what: string; readonly remedy: string };

/** Each command that stands in the settings is run once, for a check. */
async function launcherState(
  surroundings: Surroundings,
  places: readonly Installed[],
  install: string,
): Promise<LauncherState> {
  const saw: string[] = [];
  for (const command of new Set(places.flatMap(({ commands }) => commands))) {
    const checked = await checkLauncher(surroundings, command);
    switch (checked.kind) {
      case "runs":
        if (checked.state === null)
          return {
            kind: "hurdle",
            what: "the hook finds no place for its records",
            remedy: "set HOME, or SKEIN_STATE_DIR",
          };
        saw.push(`the launcher runs ${checked.hook} on Node ${checked.version} (${checked.node})`);
        break;
      case "off":
        return { kind: "hurdle", what: "SKEIN_HOOKS_OFF is 1 here: hooks do nothing", remedy: "unset it" };
      case "missing":
        return { kind: "hurdle", what: `the launcher that they call is missing: ${checked.launcher}`, remedy: install };
      case "silent": {
        const why = checked.fault === null ? "" : ` (it noted ${checked.fault})`;
        return {
          kind: "hurdle",
          what: `the launcher ${checked.launcher} was started and ran no hook${why}`,
          remedy: install,
        };
      }
      default:
        return unreachable(checked);
    }
  }
  return { kind: "runs", what: [...new Set(saw)].join("; ") };
}

/** The first thing else that keeps them from running. */
async function hurdleOf(
  surroundings: Surroundings,
  client: ClientSettings,
  { found, places, install }: Situation,
): Promise<{ readonly what: string; readonly remedy: string } | null> {
  for (const { scope, files } of places)
    if (!(await hasServer(surroundings, client, scope, files.directory)))
      return { what: "its MCP server for notes is not registered", remedy: install };
  const version = found.kind === "version" ? found.version : null;
  for (const { scope, events } of version === null ? [] : places) {
    const plan = client.plan(version, commandFor(scope, "", client.client));
    const wanted = [...new Set(plan.entries.map(({ event }) => event))];
    const lacking = wanted.filter((event) => !events.includes(event));
    if (lacking.length > 0) return { what: `this version also has ${lacking.join(", ")}`, remedy: install };
    const unknown = events.filter((event) => !wanted.includes(event));
    if (unknown.length > 0) return { what: `this version does not know ${unknown.join(", ")}`, remedy: install };
  }
  if (!client.needsApproval || found.kind === "missing") return null;
  const approval = await codexApproval(surroundings);
  switch (approval.kind) {
    case "approved":
      return null;
    case "waits":
      return {
        what: `${approval.count} of ${approval.of} are not approved and do not run`,
        remedy: `start ${client.program} and type /hooks`,
      };
    case "unknown":
      return {
        what: `${client.title} did not say whether they are approved`,
        remedy: `see /hooks in ${client.program}`,
      };
    default:
      return unreachable(approval);
  }
}

async function look(
  surroundings: Surroundings,
  client: ClientSettings,
  scope: Scope,
): Promise<Result<Installed, HooksError>> {
  const files = await readClientFiles(surroundings, client, scope);
  if (!files.ok) return files;
  const events: string[] = [];
  const commands = new Set<string>();
  const paths: string[] = [];
  for (const { name, form } of client.files) {
    const entries = form.find(files.value.texts.get(name) ?? form.blank);
    const path = `${files.value.directory}/${name}`;
    if (!entries.ok) return { ok: false, error: { kind: "settings", path, error: entries.error } };
    if (entries.value.length > 0) paths.push(path);
    events.push(...entries.value.map(({ event }) => event));
    for (const { command } of entries.value) commands.add(command);
  }
  return ok({ scope, events, commands: [...commands], paths, files: files.value });
}

/** Also true where the client has none of ours, or its file cannot be read: that is told elsewhere. */
async function hasServer(
  surroundings: Surroundings,
  client: ClientSettings,
  scope: Scope,
  directory: string,
): Promise<boolean> {
  const path = await serverFile(surroundings, client, scope, directory);
  if (path === null || client.mcp === null) return true;
  const file = await readSettings(surroundings.host, path);
  if (!file.ok) return true;
  const text = decode(file.value.bytes ?? Buffer.from(client.mcp.form.blank));
  const has = text.ok ? client.mcp.form.has(text.value) : text;
  return !has.ok || has.value;
}

/** The launcher's own note: a Node that could not run the hook. */
async function launcherFault({ env, host }: Surroundings): Promise<Finding | null> {
  const places = launcherPlaces(env);
  const bytes = places.ok ? await host.files.read(places.value.fault, 4_096) : places;
  if (!bytes.ok) return null;
  return absent(
    "hook launcher",
    Buffer.from(bytes.value).toString("utf8").trim(),
    "skein install uses the Node that runs it",
  );
}

/** What hooks have noted of their own failures; they never tell the agent. */
async function hookFault({ registry, root }: Presence): Promise<Finding | null> {
  const [last, ...others] = await recentFaults(registry.files, root, faultsMax);
  if (last === undefined) return null;
  const more = others.length === 0 ? "" : `, and ${others.length === faultsMax - 1 ? "more" : others.length} before`;
  return absent(
    "hook log",
    `${timeText(last.at)} ${last.client}: ${last.message}${more}`,
    `see ${root}/hook-faults.jsonl`,
  );
}

const faultsMax = 20;

function titleOf({ title }: ClientSettings, found: FoundClient): string {
  if (found.kind === "version") return `${title} ${versionText(found.version)}`;
  return found.kind === "missing" ? `${title}, which is not on the PATH` : title;
}

function problemOf(error: HooksError): string {
  if (error.kind === "settings") return `${error.path}: ${error.error.message}`;
  return "message" in error ? error.message : `${error.kind}${"path" in error ? ` ${error.path}` : ""}`;
}

function absent(name: string, detail: string, remedy: string): Finding {
  return { name, state: "absent", detail, remedy };
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
