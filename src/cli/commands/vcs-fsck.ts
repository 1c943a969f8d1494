// `skein vcs fsck`: checks every record, content and fold of a store, and names each fault's exact place.

import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein vcs fsck --store ~/stores/tool

Reads everything and changes nothing. Ends with 1 where anything is wrong: each fault is a line with its file, byte and position.`;

export function addVcsFsck(vcs: Command, { io, surroundings }: CommandContext): void {
  addStoreFlags(vcs.command("fsck").description("check every record and content of a store"))
    .addHelpText("after", help)
    .action(async (flags: StoreFlags) => {
      const json = flags.json === true;
      const { vcsFsck } = await import("../../app/vcs-commands.ts");
      const checked = await vcsFsck(surroundings, wishOf(flags));
      if (!checked.ok) return fail(io, explainStore(checked.error), json);
      const { store, value } = checked.value;
      if (value.faults.length > 0) io.exitCode = 1;
      if (json) return io.out(jsonLine({ store, ...value }));
      for (const { file, offset, position, message } of value.faults) {
        const where = position === null ? "" : `, position ${position}`;
        io.out(`${cleanLine(file, 500)} at byte ${offset}${where}: ${cleanLine(message, 500)}`);
      }
      for (const note of value.notes) io.note(cleanLine(note, 500));
      const found = value.faults.length === 0 ? "all is well" : plural(value.faults.length, "fault");
      const { records, blobs, largeContents, bytes } = value;
      io.out(`${found}: ${plural(records, "record")}, ${plural(blobs + largeContents, "content")}, ${bytes} bytes`);
    });
}
