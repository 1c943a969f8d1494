// Which hooks a person has: in their own configuration file, in settings files that it names, and in a repository's `.skein/hooks.json` that
// they vouch for by its content. Invariant: a repository's hooks are run only after the person's word on exactly these bytes.

import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { type HookList, NO_HOOKS, readHooks } from "../agent/hooks/hook-file.ts";
import { LAUNCHER_PATH } from "../clients/launcher-command.ts";
import type { Files } from "../host/files.ts";
import { type LoadedConfig, userConfigPath } from "./config.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export interface HookSettings {
  /** Of the person's own file. */
  readonly own: { readonly value: unknown; readonly path: string } | null;
  /** Settings files of which only the hooks are read, absolute. */
  readonly files: readonly string[];
  /** Repository → SHA-256 of its file, in hex. */
  readonly trusted: Readonly<Record<string, string>>;
  /** The person's own file, there or not; null where there is no place for one. */
  readonly userPath: string | null;
}

export const repositoryHooksPath = join(".skein", "hooks.json");
const fileBytesMax = 1024 * 1024;

export function hookSettingsOf(user: LoadedConfig | null, env: Surroundings["env"]): HookSettings {
  const userPath = userConfigPath(env);
  if (user === null) return { own: null, files: [], trusted: {}, userPath };
  const { hooks, hookFiles = [], trustedHooks = {} } = user.config;
  const home = variable(env, "HOME") ?? "/";
  const files = hookFiles.map((path) => resolve(dirname(user.path), path.replace(/^~(?=\/|$)/, home)));
  return {
    own: hooks === undefined ? null : { value: hooks, path: user.path },
    files,
    trusted: trustedHooks,
    userPath,
  };
}

/** `top` is the repository's, or the working directory outside one. */
export async function loadHooks(files: Files, settings: HookSettings, top: string): Promise<HookList> {
  const { own } = settings;
  const lists = [
    own === null ? NO_HOOKS : readHooks(own.value, own.path),
    ...(await Promise.all(settings.files.map((path) => named(files, path)))),
    await repositorys(files, settings, top),
  ];
  return { commands: lists.flatMap(({ commands }) => commands), notes: lists.flatMap(({ notes }) => notes) };
}

async function named(files: Files, path: string): Promise<HookList> {
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) return noted(`hookFiles: ${path}: ${bytes.error.message}; no hook of it is run`);
  const list = hooksIn(bytes.value, path);
  // Other sessions see a run of ours without it.
  return { ...list, commands: list.commands.filter(({ command }) => !command.includes(LAUNCHER_PATH)) };
}

async function repositorys(files: Files, { trusted, userPath }: HookSettings, top: string): Promise<HookList> {
  const path = join(top, repositoryHooksPath);
  const stat = await files.stat(path);
  if (!stat.ok) return NO_HOOKS;
  if (stat.value.kind !== "file") return noted(`${path} is a ${stat.value.kind}, not a file: no hook of it is run`);
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) return noted(`${path}: ${bytes.error.message}; no hook of it is run`);
  const hash = createHash("sha256").update(bytes.value).digest("hex");
  const vouched = Object.hasOwn(trusted, top) ? trusted[top] : undefined;
  if (vouched === hash) return hooksIn(bytes.value, path);
  const why = vouched === undefined ? "you have not vouched for them" : "the file has changed since you vouched for it";
  return noted(
    `${path}: its hooks are not run, since ${why}. To run them, read the file and the scripts that it names, and set "trustedHooks": {${JSON.stringify(top)}: "${hash}"} in ${userPath ?? "your own configuration file"}`,
  );
}

function hooksIn(bytes: Uint8Array, path: string): HookList {
  let value: unknown;
  try {
    value = JSON.parse(
      Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
  } catch {
    return noted(`${path} is not valid JSON: no hook of it is run`);
  }
  if (typeof value !== "object" || value === null) return noted(`${path} holds no object: no hook of it is run`);
  return "hooks" in value ? readHooks(value.hooks, path) : NO_HOOKS;
}

function noted(note: string): HookList {
  return { commands: [], notes: [note] };
}
