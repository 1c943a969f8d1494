// Models by the names people give them. Adapters are loaded when they are first named.

import { isAbsolute, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Provider } from "../model/provider.ts";
import type { Surroundings } from "./surroundings.ts";

/** `script:<file>`; the file is relative to the directory the command was started in. */
export async function openModel(surroundings: Surroundings, name: string): Promise<Result<Provider, string>> {
  const [scheme, rest] = split(name);
  if (scheme === "script") {
    const { loadScript } = await import("../adapters/script-model/provider.ts");
    const loaded = await loadScript(surroundings.host, resolve(surroundings.cwd, rest));
    return loaded.ok ? ok(loaded.value) : err(loaded.error.message);
  }
  return err(
    `this version of skein has no models of the kind ${scheme === "" ? name : scheme}; it has script:<file>, answers written beforehand`,
  );
}

/** The name with its file made absolute, so that a process with another directory finds it. */
export function absoluteModelName(name: string, cwd: string): string {
  const [scheme, rest] = split(name);
  return scheme === "script" && !isAbsolute(rest) ? `script:${resolve(cwd, rest)}` : name;
}

function split(name: string): readonly [string, string] {
  const colon = name.indexOf(":");
  return colon === -1 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}
