// `skein vcs watch`: what happens in a store, as it happens.

import type { Command } from "commander";
import type { StoreEvent } from "../../vcs/watch.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { eventLine } from "../render/store.ts";
import { positionArgument } from "../store-arguments.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags extends StoreFlags {
  readonly from: number | "head";
  readonly follow: boolean;
}

const help = `
Example:
  $ skein vcs watch --store ~/stores/tool
  $ skein vcs watch --from 42 --json | jq -c .position
  $ skein vcs watch --from 1 --no-follow

Every landed commit, conflict and resolution after a position, one line each, in order: none is missed and none comes twice, whoever
opens or closes the store meanwhile. With --json the first line says from where it begins; go on later from the position of the
last line. Ctrl-C ends it.`;

export function addVcsWatch(vcs: Command, { io, surroundings, stop }: CommandContext): void {
  addStoreFlags(
    vcs
      .command("watch")
      .description("follow commits and conflicts from a position on")
      .option("--from <position>", "the position after which it begins", positionArgument, "head" as const)
      .option("--no-follow", "end with what is there"),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const json = flags.json === true;
      const { vcsWatch } = await import("../../app/vcs-watch.ts");
      const ended = await vcsWatch(surroundings, wishOf(flags), {
        from: flags.from === "head" ? null : flags.from,
        follow: flags.follow,
        stop,
        onBegin({ from, head }) {
          if (json) io.out(jsonLine({ kind: "begin", from, head }));
          else io.note(`from position ${from}; the head is at ${head}${flags.follow ? "; Ctrl-C ends it" : ""}`);
        },
        onEvent(event: StoreEvent) {
          io.out(json ? jsonLine(event) : eventLine(event));
        },
      });
      if (!ended.ok) fail(io, explainStore(ended.error), json);
    });
}
