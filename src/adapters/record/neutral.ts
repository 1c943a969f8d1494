// Text as it is recorded: without secrets, and with named places instead of the machine's directories, so that a recording
// can be replayed elsewhere. Live requests go the same way before they are compared.

import { mapStrings } from "./json.ts";
import { redactor } from "./redact.ts";

export interface NeutralSettings {
  /** Values that must not be recorded, of any form: the keys in use. */
  readonly secrets?: readonly string[];
  /** Name (letters, digits, `-`) to absolute directory: in a recording `<skein:name>` stands for it, in a replay the other way round. */
  readonly places?: Readonly<Record<string, string>>;
}

export interface Neutral {
  /** For what is written down or compared. */
  neutral(value: unknown): unknown;
  /** For what is said again here: places are directories again. */
  local(value: unknown): unknown;
}

export function neutralText({ secrets = [], places = {} }: NeutralSettings): Neutral {
  const redact = redactor(secrets);
  // The longest first: a place may lie inside another.
  const byLength = Object.entries(places).sort(([, a], [, b]) => b.length - a.length);
  return {
    neutral: (value) =>
      mapStrings(value, (text) =>
        redact(byLength.reduce((changed, [name, directory]) => changed.replaceAll(directory, placeholder(name)), text)),
      ),
    local: (value) =>
      mapStrings(value, (text) =>
        byLength.reduce((changed, [name, directory]) => changed.replaceAll(placeholder(name), () => directory), text),
      ),
  };
}

function placeholder(name: string): string {
  return `<skein:${name}>`;
}
