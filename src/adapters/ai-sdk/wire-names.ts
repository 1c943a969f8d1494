// Ids and names of calls in a form that every provider takes. A history may hold what another provider, a script or a
// careless server made; in what is sent each call has an id of its own, and its result names the same one.

import { assert, unreachable } from "../../base/assert.ts";
import type { Message } from "../../model/message.ts";

/** OpenAI takes ids of at most 64 characters; Anthropic letters, digits, `_` and `-`. */
const idCharsMax = 64;
const FIT_ID = /^[A-Za-z0-9_-]+$/;
const nameCharsMax = 64;

/** For each message the wire ids of its calls or results, by their place; empty for other messages. */
export function wireIds(messages: readonly Message[]): readonly (readonly string[])[] {
  const taken = new Set<string>();
  let asked: readonly string[] = [];
  return messages.map((message) => {
    switch (message.role) {
      case "user":
        return [];
      case "assistant":
        asked = message.calls.map(({ id }) => freshId(id, taken));
        return asked;
      case "tool":
        assert(message.results.length === asked.length, "each call of a history has one result");
        return asked;
      default:
        return unreachable(message);
    }
  });
}

function freshId(id: string, taken: Set<string>): string {
  const fits = id.length <= idCharsMax && FIT_ID.test(id) && !taken.has(id);
  const wire = fits ? id : firstFree(taken);
  taken.add(wire);
  return wire;
}

/** Made from the count of the calls before, so that a history gets the same ids each time and stays in the cache. */
function firstFree(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number++) {
    const id = `call_${number}`;
    if (!taken.has(id)) return id;
  }
}

/** A model may call a tool that there is not, by a name that providers refuse in a history. */
export function wireName(name: string): string {
  const fit = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, nameCharsMax);
  return fit === "" ? "_" : fit;
}
