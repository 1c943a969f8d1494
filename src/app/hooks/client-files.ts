// All files of one client that can hold hooks, as they are on the disk in one scope.

import { join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { decode } from "../../clients/hooks-file/document.ts";
import type { ClientSettings } from "../../clients/settings.ts";
import type { Surroundings } from "../surroundings.ts";
import { mcpFiles, type Scope, settingsDirectory } from "./places.ts";
import type { HooksError } from "./plan.ts";
import { readSettings, type SettingsOnDisk } from "./settings-file.ts";

export interface AllFiles {
  readonly directory: string;
  readonly files: ReadonlyMap<string, SettingsOnDisk>;
  /** Of those that exist. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function readClientFiles(
  surroundings: Surroundings,
  client: ClientSettings,
  scope: Scope,
): Promise<Result<AllFiles, HooksError>> {
  const directory = await settingsDirectory(surroundings, client, scope);
  if (!directory.ok) return directory;
  const files = new Map<string, SettingsOnDisk>();
  const texts = new Map<string, string>();
  for (const { name } of client.files) {
    const path = join(directory.value, name);
    const file = await readSettings(surroundings.host, path);
    if (!file.ok) return file;
    files.set(name, file.value);
    if (file.value.bytes === null) continue;
    const text = decode(file.value.bytes);
    if (!text.ok) return err({ kind: "settings", path, error: text.error });
    texts.set(name, text.value);
  }
  return ok({ directory: directory.value, files, texts });
}

/** Where our MCP server is, or else would go; null where it is not registered with this client. */
export async function serverFile(
  surroundings: Surroundings,
  client: ClientSettings,
  scope: Scope,
  directory: string,
): Promise<string | null> {
  const paths = mcpFiles(surroundings, client, scope, directory);
  if (paths.length < 2) return paths[0] ?? null;
  const there: string[] = [];
  for (const path of paths) {
    const file = await readSettings(surroundings.host, path);
    // What cannot be read is in the way: whoever reads it then says so.
    if (!file.ok) return path;
    if (file.value.bytes === null) continue;
    there.push(path);
    const text = decode(file.value.bytes);
    const has = text.ok ? client.mcp?.form.has(text.value) : text;
    if (has?.ok === true && has.value) return path;
  }
  return there[0] ?? paths.at(-1) ?? null;
}
