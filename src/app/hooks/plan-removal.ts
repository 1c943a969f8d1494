// What `skein uninstall` would change, worked out whole before anything is written.

import { basename, join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { CLIENT_SETTINGS } from "../../clients/all-settings.ts";
import { decode } from "../../clients/hooks-file/document.ts";
import type { HookedClient } from "../../clients/launcher-command.ts";
import type { ClientSettings, HookForm } from "../../clients/settings.ts";
import type { Surroundings } from "../surroundings.ts";
import { launcherPlaces, mcpFiles, type Scope, settingsDirectory } from "./places.ts";
import type { FilePlan, HooksError, PlanFor } from "./plan.ts";
import { proofOfRemoval } from "./proof.ts";
import { readRecord } from "./record.ts";
import { readSettings } from "./settings-file.ts";

/** Everything of ours in the named clients' settings: the user's, this project's, and whatever we remember having written. */
export async function planUninstall(
  surroundings: Surroundings,
  clients: readonly HookedClient[],
  scopes: readonly Scope[],
): Promise<readonly PlanFor<FilePlan>[]> {
  const places = launcherPlaces(surroundings.env);
  if (!places.ok) return clients.map((client) => ({ client, plan: places }));
  const recorded = await readRecord(surroundings.host, places.value);
  const plans: PlanFor<FilePlan>[] = [];
  for (const client of clients) {
    const settings = CLIENT_SETTINGS[client];
    const paths = new Map<string, { readonly scope: Scope; readonly form: RemovalForm }>();
    const names = new Map<string, RemovalForm>(settings.files.map(({ name, form }) => [basename(name), form]));
    for (const scope of scopes) {
      const directory = await settingsDirectory(surroundings, settings, scope);
      if (!directory.ok) plans.push({ client, plan: directory });
      else {
        for (const { name, form } of settings.files) paths.set(join(directory.value, name), { scope, form });
        if (settings.mcp === null) continue;
        for (const server of mcpFiles(surroundings, settings, scope, directory.value)) {
          // Where hooks are in it, too, their form takes out both.
          if (!paths.has(server)) paths.set(server, { scope, form: settings.mcp.form });
          if (!names.has(basename(server))) names.set(basename(server), settings.mcp.form);
        }
      }
    }
    for (const { path } of scopes.length === 2 ? recorded.filter((one) => one.client === client) : []) {
      const form = names.get(basename(path));
      if (form !== undefined && !paths.has(path)) paths.set(path, { scope: "project", form });
    }
    for (const [path, { scope, form }] of paths) {
      const created = recorded.some((one) => one.path === path && one.created === "created");
      const plan = await planRemoval(surroundings, { client: settings, scope, path, form, created });
      if (!plan.ok) plans.push({ client, plan });
      else if (plan.value !== null) plans.push({ client, plan: ok(plan.value) });
    }
  }
  return plans;
}

type RemovalForm = Pick<HookForm, "remove" | "others" | "blank">;

interface Removal {
  readonly client: ClientSettings;
  readonly scope: Scope;
  readonly path: string;
  readonly form: RemovalForm;
  readonly created: boolean;
}

/** Null where the file is missing or has nothing of ours. */
async function planRemoval(
  { host }: Surroundings,
  { client, scope, path, form, created }: Removal,
): Promise<Result<FilePlan | null, HooksError>> {
  const file = await readSettings(host, path);
  // A link to nothing holds nothing of ours.
  if (!file.ok) return file.error.kind === "dangling" ? ok(null) : file;
  if (file.value.bytes === null) return ok(null);
  const text = decode(file.value.bytes);
  if (!text.ok) return mentionsUs(file.value.bytes) ? err({ kind: "settings", path, error: text.error }) : ok(null);
  const after = form.remove(text.value);
  // What we cannot read is only in the way where our hooks may be in it.
  if (!after.ok) return mentionsUs(file.value.bytes) ? err({ kind: "settings", path, error: after.error }) : ok(null);
  if (after.value === text.value) return ok(null);
  const unproven = proofOfRemoval(form, text.value, after.value);
  if (unproven !== null) return err({ kind: "settings", path, error: unproven });
  const gone = created && after.value === form.blank;
  return ok({ client, scope, file: file.value, before: text.value, after: gone ? null : after.value });
}

export function mentionsUs(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).includes("skein-hook");
}
