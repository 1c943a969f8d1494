// The version of a client that is installed here, asked of its own command.

import type { ClientSettings } from "../../clients/settings.ts";
import { type Version, versionIn } from "../../clients/version.ts";
import type { Surroundings } from "../surroundings.ts";
import { askProgram } from "./output-of.ts";

const timeMsMax = 10_000;

export type FoundClient =
  | { readonly kind: "missing" }
  /** It is there, and does not say which version it is. */
  | { readonly kind: "unknown" }
  | { readonly kind: "version"; readonly version: Version };

export async function findClient(surroundings: Surroundings, { program }: ClientSettings): Promise<FoundClient> {
  let version: Version | null = null;
  const asked = await askProgram(surroundings, {
    argv: [program, "--version"],
    timeMsMax,
    onLine: (line) => {
      version ??= versionIn(line);
      return version !== null;
    },
  });
  if (asked === "missing") return { kind: "missing" };
  return version === null ? { kind: "unknown" } : { kind: "version", version };
}
