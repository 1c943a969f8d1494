// What `skein install` would change, worked out whole before anything is written: one plan for each client.

import { join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { CLIENT_SETTINGS } from "../../clients/all-settings.ts";
import { decode, type SettingsError } from "../../clients/hooks-file/document.ts";
import { HOOKED_CLIENTS, type HookedClient, type McpCommand, statusCommand } from "../../clients/launcher-command.ts";
import type { ClientSettings, EventPlan } from "../../clients/settings.ts";
import { isAtLeast, type Version, versionText } from "../../clients/version.ts";
import type { Surroundings } from "../surroundings.ts";
import { type AllFiles, readClientFiles, serverFile } from "./client-files.ts";
import { type FoundClient, findClient } from "./client-version.ts";
import type { Busy } from "./exclusive.ts";
import { commandFor, launcherPlaces, type NoHome, type Scope, serverFor, settingsDirectory } from "./places.ts";
import { proofOfInstall, proofOfServer } from "./proof.ts";
import { readSettings, type SettingsFileError, type SettingsOnDisk } from "./settings-file.ts";

export type HooksError =
  | NoHome
  | SettingsFileError
  /** Another installation or removal is at work. */
  | Busy
  | { readonly kind: "settings"; readonly path: string; readonly error: SettingsError }
  | {
      readonly kind: "old-client";
      readonly title: string;
      readonly version: string;
      readonly versionMin: string;
    }
  /** Nothing that we know was found on this machine, and none was named. */
  | { readonly kind: "no-clients" };

export interface FilePlan {
  readonly client: ClientSettings;
  readonly scope: Scope;
  readonly file: SettingsOnDisk;
  readonly before: string | null;
  /** Null where the file is to go. */
  readonly after: string | null;
}

export interface InstallPlan extends FilePlan {
  /** Its other files: where its MCP servers are, unless that is the file of the hooks. */
  readonly more: readonly FilePlan[];
  readonly found: FoundClient;
  readonly events: EventPlan;
  /** Why its hooks would not run, and what else a person should know. */
  readonly notes: readonly string[];
}

export interface PlanFor<T> {
  readonly client: HookedClient;
  readonly plan: Result<T, HooksError>;
}

/** The named clients; with `all`, or none named, also those that are on this machine: by their directory or their command. */
export async function clientsHere(
  surroundings: Surroundings,
  named: readonly (HookedClient | "all")[],
): Promise<Result<readonly HookedClient[], HooksError>> {
  const chosen = new Set(named.filter((one) => one !== "all"));
  if (named.length === 0 || named.includes("all")) {
    // Some take seconds to say that they are there.
    const found = await Promise.all(HOOKED_CLIENTS.map((client) => isHere(surroundings, CLIENT_SETTINGS[client])));
    for (const [index, here] of found.entries()) {
      if (!here.ok) return here;
      const client = HOOKED_CLIENTS[index];
      if (here.value && client !== undefined) chosen.add(client);
    }
  }
  return chosen.size === 0 ? err({ kind: "no-clients" }) : ok([...chosen]);
}

async function isHere(surroundings: Surroundings, client: ClientSettings): Promise<Result<boolean, HooksError>> {
  const directory = await settingsDirectory(surroundings, client, "user");
  if (!directory.ok) return directory;
  if ((await surroundings.host.files.realPath(directory.value)).ok) return ok(true);
  return ok((await findClient(surroundings, client)).kind !== "missing");
}

export interface InstallOptions {
  readonly scope: Scope;
  /** Also our status line, in the clients that have one. */
  readonly statusLine: boolean;
}

export async function planInstall(
  surroundings: Surroundings,
  clients: readonly HookedClient[],
  { scope, statusLine }: InstallOptions,
): Promise<readonly PlanFor<InstallPlan>[]> {
  return Promise.all(
    clients.map(async (client) => ({
      client,
      plan: await planOne(surroundings, CLIENT_SETTINGS[client], { scope, statusLine }),
    })),
  );
}

async function planOne(
  surroundings: Surroundings,
  client: ClientSettings,
  { scope, statusLine }: InstallOptions,
): Promise<Result<InstallPlan, HooksError>> {
  const places = launcherPlaces(surroundings.env);
  if (!places.ok) return places;
  const found = await findClient(surroundings, client);
  const version = found.kind === "version" ? found.version : null;
  if (version !== null && !isAtLeast(version, client.versionMin)) return tooOld(client, version);
  const read = await readClientFiles(surroundings, client, scope);
  if (!read.ok) return read;
  const { directory, texts, files } = read.value;
  const chosen = client.choose(texts);
  const file = files.get(chosen.name) ?? {
    path: join(directory, chosen.name),
    real: join(directory, chosen.name),
    bytes: null,
  };
  const events = client.plan(version, commandFor(scope, places.value.launcher, client.client));
  const before = texts.get(chosen.name) ?? null;
  const edits = [
    (text: string) => chosen.form.set(text, events.entries),
    statusLine && client.setStatusLine !== null ? (text: string) => lineIn(client, text, places.value.launcher) : null,
    client.mcp?.setAllowRule ?? null,
  ];
  const server = serverFor(scope, places.value.launcher);
  const mcpPath = await serverFile(surroundings, client, scope, directory);
  if (mcpPath === file.path) edits.push((text) => client.mcp?.form.set(text, server) ?? ok(text));
  const after = edited(before ?? chosen.form.blank, edits);
  if (!after.ok) return err({ kind: "settings", path: file.path, error: after.error });
  const edit = { before: before ?? chosen.form.blank, after: after.value, entries: events.entries };
  const unproven = proofOfInstall(chosen.form, edit);
  if (unproven !== null) return err({ kind: "settings", path: file.path, error: unproven });
  const more =
    mcpPath === null || mcpPath === file.path
      ? ok(null)
      : await planServer(surroundings, { client, scope }, mcpPath, server);
  if (!more.ok) return more;
  const notes = await notesFor(surroundings, client, scope, read.value);
  return ok({
    ...{ client, scope, file, before, after: after.value, found, events, notes },
    more: more.value === null ? [] : [more.value],
  });
}

type Edit = ((text: string) => Result<string, SettingsError>) | null;

function edited(text: string, edits: readonly Edit[]): Result<string, SettingsError> {
  let result: Result<string, SettingsError> = ok(text);
  for (const edit of edits) if (edit !== null && result.ok) result = edit(result.value);
  return result;
}

function lineIn({ setStatusLine }: ClientSettings, text: string, launcher: string): Result<string, SettingsError> {
  return setStatusLine === null ? ok(text) : setStatusLine(text, statusCommand(launcher));
}

/** The file of its MCP servers, where that is another one. */
async function planServer(
  { host }: Surroundings,
  { client, scope }: Pick<FilePlan, "client" | "scope">,
  path: string,
  server: McpCommand,
): Promise<Result<FilePlan | null, HooksError>> {
  const form = client.mcp?.form ?? null;
  if (form === null) return ok(null);
  const file = await readSettings(host, path);
  if (!file.ok) return file;
  const text = file.value.bytes === null ? ok(null) : decode(file.value.bytes);
  if (!text.ok) return err({ kind: "settings", path, error: text.error });
  const before = text.value;
  const after = form.set(before ?? form.blank, server);
  if (!after.ok) return err({ kind: "settings", path, error: after.error });
  const unproven = proofOfServer(form, before ?? form.blank, after.value);
  if (unproven !== null) return err({ kind: "settings", path, error: unproven });
  return ok({ client, scope, file: file.value, before, after: after.value });
}

function tooOld({ title, versionMin }: ClientSettings, version: Version): Result<never, HooksError> {
  return err({ kind: "old-client", title, version: versionText(version), versionMin: versionText(versionMin) });
}

async function notesFor(
  surroundings: Surroundings,
  client: ClientSettings,
  scope: Scope,
  { directory, texts }: AllFiles,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const off = client.switchedOff(texts);
  if (off !== null) notes.push(`${client.title} runs no hooks at all here: ${off}`);
  const other = scope === "user" ? "project" : "user";
  const elsewhere = await readClientFiles(surroundings, client, other);
  const twice =
    elsewhere.ok &&
    elsewhere.value.directory !== directory &&
    client.files.some(({ name, form }) => {
      const there = form.find(elsewhere.value.texts.get(name) ?? form.blank);
      return there.ok && there.value.length > 0;
    });
  if (twice) notes.push(`they are installed for the ${other} too, so each would run twice here`);
  notes.push(...(client.remarks ?? []));
  if (client.needsApproval)
    notes.push(`${client.title} runs hooks only once you have approved them: start it and type /hooks`);
  return notes;
}
