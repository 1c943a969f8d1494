// Carries the plans out. Invariant: settings name the launcher only once it is there, and the launcher goes only when nothing we know of
// names it any more.

import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { Surroundings } from "../surroundings.ts";
import { removeLauncher, writeLauncher } from "./launcher.ts";
import type { LauncherPlaces } from "./places.ts";
import { type FilePlan, type HooksError, type InstallOptions, type InstallPlan, planInstall } from "./plan.ts";
import { mentionsUs } from "./plan-removal.ts";
import { type RecordedFile, readRecord, writeRecord } from "./record.ts";
import { readSettings, replaceSettings, type SettingsFileError } from "./settings-file.ts";

/** Once, before the first plan is carried out. */
export function prepareInstall(surroundings: Surroundings, places: LauncherPlaces): Promise<Result<void, FileError>> {
  return writeLauncher(surroundings, places);
}

export async function applyInstall(
  surroundings: Surroundings,
  places: LauncherPlaces,
  plan: InstallPlan,
): Promise<Result<void, SettingsFileError>> {
  for (const file of [plan, ...plan.more]) {
    const applied = await applyFile(surroundings, places, file);
    if (!applied.ok) return applied;
  }
  return ok(undefined);
}

async function applyFile(
  { host }: Surroundings,
  places: LauncherPlaces,
  { client, file, before, after }: FilePlan,
): Promise<Result<void, SettingsFileError>> {
  let directory: string | null = null;
  if (after !== before) {
    const replaced = await replaceSettings(host, { file, bytes: after === null ? null : Buffer.from(after) });
    if (!replaced.ok) return replaced;
    directory = replaced.value;
  }
  const recorded = await readRecord(host, places);
  if (recorded.some(({ path }) => path === file.path)) return ok(undefined);
  const entry: RecordedFile = {
    client: client.client,
    path: file.path,
    created: before === null ? "created" : "existed",
    // Beside another of ours: whichever goes last takes the directory with it.
    directory: directory ?? recorded.find((one) => isWithin(file.path, one.directory))?.directory ?? null,
  };
  return writeRecord(host, places, [...recorded, entry]);
}

/** A file that its client has changed since it was read is read again and gets the same hooks: the person agreed to these, and to no more. */
const attemptsMax = 3;

export async function applyInstallAnew(
  surroundings: Surroundings,
  places: LauncherPlaces,
  plan: InstallPlan,
  options: InstallOptions,
): Promise<Result<void, HooksError>> {
  let applied: Result<void, HooksError> = await applyInstall(surroundings, places, plan);
  for (let attempt = 1; attempt < attemptsMax; attempt++) {
    if (applied.ok || applied.error.kind !== "changed-meanwhile") return applied;
    const [again] = await planInstall(surroundings, [plan.client.client], options);
    if (again === undefined || !again.plan.ok) return applied;
    if (!isDeepStrictEqual(again.plan.value.events, plan.events)) return applied;
    applied = await applyInstall(surroundings, places, again.plan.value);
  }
  return applied;
}

function isWithin(path: string, directory: string | null): boolean {
  return directory !== null && path.startsWith(`${directory}/`);
}

export async function applyUninstall(
  { host }: Surroundings,
  places: LauncherPlaces,
  { file, after }: FilePlan,
): Promise<Result<void, SettingsFileError>> {
  const replaced = await replaceSettings(host, { file, bytes: after === null ? null : Buffer.from(after) });
  if (!replaced.ok) return replaced;
  const recorded = await readRecord(host, places);
  const entry = recorded.find(({ path }) => path === file.path);
  if (after === null && entry?.directory) await removeEmpty(host, dirname(file.path), entry.directory);
  if (entry === undefined) return ok(undefined);
  return writeRecord(
    host,
    places,
    recorded.filter((one) => one !== entry),
  );
}

/** Once, after the last: whether the launcher went too. A recorded file that has lost our hooks by other hands is forgotten. */
export async function finishUninstall(surroundings: Surroundings, places: LauncherPlaces): Promise<boolean> {
  const { host } = surroundings;
  const left: RecordedFile[] = [];
  const recorded = await readRecord(host, places);
  for (const entry of recorded) {
    const file = await readSettings(host, entry.path);
    const gone = file.ok ? file.value.bytes === null || !mentionsUs(file.value.bytes) : file.error.kind === "dangling";
    if (!gone) left.push(entry);
  }
  if (left.length > 0) {
    if (left.length < recorded.length) await writeRecord(host, places, left);
    return false;
  }
  await removeLauncher(surroundings, places);
  return true;
}

/** From the innermost outwards, as far as we made them and nobody else uses them. */
async function removeEmpty({ files }: Surroundings["host"], from: string, outermost: string): Promise<void> {
  for (let at = from; at.startsWith(outermost); at = dirname(at)) {
    const left = await files.list(at, 1);
    if (!left.ok || left.value.length > 0) return;
    await files.remove(at);
  }
}
