// Arguments that a tool does not have, wherever they stand in a call's input: pure. A misspelled one is told with the name that was
// probably meant, since dropping it would do something else than was asked for.

import { z } from "zod";
import { mostAlike } from "../base/similar.ts";
import { cleanLine } from "../base/text.ts";

/** A sentence for the model for each name, in the order in which they stand. */
export function unknownNames(input: unknown, schema: Readonly<Record<string, unknown>>): readonly string[] {
  return faultsIn(input, schema, "").slice(0, namesMax);
}

const namesMax = 20;
const nameCharsMax = 100;
/** Of the likeness, 0 to 1, from which a name is taken for a misspelled one. */
const likenessMin = 0.3;

const NODE = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  items: z.record(z.string(), z.unknown()).optional(),
});
const OBJECT = z.record(z.string(), z.unknown());

function faultsIn(input: unknown, schema: Readonly<Record<string, unknown>>, at: string): readonly string[] {
  const node = NODE.safeParse(schema).data ?? {};
  const { properties, items } = node;
  if (Array.isArray(input))
    return items === undefined ? [] : input.flatMap((one, index) => faultsIn(one, items, `${at}[${index}]`));
  const object = OBJECT.safeParse(input).data;
  if (properties === undefined || object === undefined) return [];
  const names = Object.keys(properties);
  return Object.entries(object).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) return faultsIn(value, property, at === "" ? name : `${at}.${name}`);
    const free = names.filter((one) => !Object.hasOwn(object, one));
    return [unknownName(name, at, { free, names })];
  });
}

function unknownName(
  name: string,
  at: string,
  { free, names }: { readonly free: readonly string[]; readonly names: readonly string[] },
): string {
  const [best] = mostAlike(name, free, 1, likenessMin);
  const meant = best === undefined ? "" : `did you mean "${free[best]}"? `;
  const where = at === "" ? "" : ` in ${at}`;
  return `✖ there is no argument "${cleanLine(name, nameCharsMax)}"${where}: ${meant}The names are: ${names.join(", ") || "none"}`;
}
