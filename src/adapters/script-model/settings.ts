// What follows a script's file in a model's name: `script:model.yaml#seed=7,variant=2,scale=0.1`. It says which of the runs that the
// script describes this one is; the same name gives the same answers and the same delays.

import { err, ok, type Result } from "../../base/result.ts";

export interface ScriptSettings {
  /** Of all draws. */
  readonly seed: string;
  /** From 1; beyond the last it goes round. */
  readonly variant: number;
  /** Factor on every delay. */
  readonly scale: number;
}

export const SCRIPT_SETTINGS: ScriptSettings = { seed: "0", variant: 1, scale: 1 };

const scaleMax = 100;
const variantMax = 1_000_000;
const suffix = /#((?:seed|variant|scale)=.*)$/;

export interface NamedScript {
  readonly path: string;
  readonly settings: ScriptSettings;
}

/** A `#` that no known setting follows is part of the file's name. The error is a sentence for people. */
export function namedScript(name: string): Result<NamedScript, string> {
  const found = suffix.exec(name);
  if (found === null) return ok({ path: name, settings: SCRIPT_SETTINGS });
  let settings = SCRIPT_SETTINGS;
  for (const pair of (found[1] ?? "").split(",")) {
    const [, key, value = ""] = /^(\w+)=(.*)$/.exec(pair.trim()) ?? [];
    switch (key) {
      case "seed":
        if (value === "") return err("seed= needs a value");
        settings = { ...settings, seed: value };
        break;
      case "variant": {
        const variant = Number(value);
        if (!/^\d+$/.test(value) || variant < 1 || variant > variantMax)
          return err(`variant=${value}: a whole number from 1 to ${variantMax} is needed`);
        settings = { ...settings, variant };
        break;
      }
      case "scale": {
        const scale = Number(value);
        if (!/^\d+(\.\d+)?$/.test(value) || scale > scaleMax)
          return err(`scale=${value}: a number from 0 to ${scaleMax} is needed`);
        settings = { ...settings, scale };
        break;
      }
      default:
        return err(`${pair}: after # a script's name has seed=, variant= and scale=, with commas between them`);
    }
  }
  return ok({ path: name.slice(0, found.index), settings });
}
