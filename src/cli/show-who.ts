// What `skein who` does with its flags, for both ways into it: through the command line, and through its own small bundle, which
// skips what the usual three flags do not need.

import { resolve } from "node:path";
import type { Surroundings } from "../app/surroundings.ts";
import { who } from "../app/who.ts";
import type { Clock } from "../host/clock.ts";
import { explain } from "./errors.ts";
import { fail } from "./fail.ts";
import { jsonLine } from "./json.ts";
import type { PlainIo } from "./plain-io.ts";
import { whoJson, whoLines } from "./render/who.ts";
import type { WhoFlags } from "./who-flags.ts";

export interface WhoSurroundings extends Pick<Surroundings, "env" | "platform" | "cwd" | "processId"> {
  readonly host: { readonly clock: Pick<Clock, "now" | "monotonicMs"> };
}

export async function showWho(io: PlainIo, surroundings: WhoSurroundings, { json, all, repo }: WhoFlags) {
  const { clock } = surroundings.host;
  const found = await who(surroundings, {
    directory: resolve(surroundings.cwd, repo),
    all,
    now: clock.now(),
    unique: `${surroundings.processId}-${Math.trunc(clock.monotonicMs() * 1000)}`,
  });
  if (!found.ok) return fail(io, explain(found.error), json);
  io.out(json ? jsonLine(whoJson(found.value)) : whoLines(found.value, io.colors).join("\n"));
}
