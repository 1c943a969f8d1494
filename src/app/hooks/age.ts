// Whether what is installed is what this Skein would install. What an older one has written goes on working, as slowly as it did.

import { launcherIn } from "../../clients/launcher-command.ts";
import { isPresentLauncher } from "../../clients/launcher-text.ts";
import type { ClientSettings } from "../../clients/settings.ts";
import type { Version } from "../../clients/version.ts";
import type { Surroundings } from "../surroundings.ts";
import { commandFor, launcherPlaces, type Scope } from "./places.ts";

const launcherBytesMax = 256 * 1024;

export interface InstalledHooks {
  readonly scope: Scope;
  /** As they stand there. */
  readonly commands: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}

/** What another Skein has written, for a person; null for nothing. */
export async function anothersWork(
  { env, host }: Surroundings,
  client: ClientSettings,
  { installed, version }: { readonly installed: readonly InstalledHooks[]; readonly version: Version | null },
): Promise<string | null> {
  const found = new Set<string>();
  const places = launcherPlaces(env);
  for (const { scope, commands, texts } of installed) {
    const named = commands.map(launcherIn).find((path) => path !== null);
    const launcher = named ?? (places.ok ? places.value.launcher : null);
    if (launcher === null) continue;
    const { form, name } = client.choose(texts);
    const text = texts.get(name);
    // Without its version it is not known what would be written.
    if (text !== undefined && version !== null) {
      const anew = form.set(text, client.plan(version, commandFor(scope, launcher, client.client)).entries);
      if (anew.ok && anew.value !== text) found.add("entries");
    }
    const bytes = await host.files.read(launcher, launcherBytesMax);
    if (bytes.ok && !isPresentLauncher(Buffer.from(bytes.value).toString("utf8"))) found.add("launcher");
  }
  return found.size === 0 ? null : [...found].join(" and ");
}
