// `skein serve`: a store on a unix socket, until it is told to stop.

import { resolve } from "node:path";
import { cleanLine, cleanText } from "../../base/text.ts";
import { explainStore } from "../errors-store.ts";
import { jsonLine } from "../json.ts";
import { addStoreFlags, type StoreFlags, wishOf } from "../store-flags.ts";
import { type CommandContext, fail, wholeNumber } from "./command.ts";

interface Flags extends StoreFlags {
  readonly socket?: string;
  readonly policies?: string;
  readonly maxFileMib?: number;
}

const maxFileMibMax = 1_024;

const help = `
Example:
  $ skein vcs import --store ~/stores/tool --repo ~/src/tool
  $ skein serve --store ~/stores/tool
  $ skein serve --store ~/stores/tool --policies policies.yaml --max-file-mib 256

Only your own user can connect. Every commit that is answered is on the disk. Ctrl-C ends it in order: what is open is answered
or refused, and clients ask again under the same key when it is back. The protocol and the policies are in docs/vcs.md.`;

export function addServe({ program, io, surroundings, stop }: CommandContext): void {
  addStoreFlags(
    program
      .command("serve")
      .description("serve a store of commits to many writers, on a unix socket")
      .option("--socket <path>", "where to listen (default: a place of its own, which skein vcs finds)")
      .option("--policies <file>", "frozen paths, tasks' scopes, decisions: what a commit must pass besides")
      .option("--max-file-mib <n>", "the largest file that is committed, in MiB (default: 10)", wholeNumber),
  )
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const json = flags.json === true;
      const mib = flags.maxFileMib;
      if (mib !== undefined && (mib < 1 || mib > maxFileMibMax)) {
        const what = `--max-file-mib ${mib}: a whole number from 1 to ${maxFileMibMax} is needed`;
        return fail(io, { what, next: "for example --max-file-mib 256", exitCode: 2 }, json);
      }
      const { findStore } = await import("../../app/store-place.ts");
      const place = await findStore(surroundings, wishOf(flags));
      if (!place.ok) return fail(io, explainStore(place.error), json);
      const { directory } = place.value;
      const { serve } = await import("../../app/serve.ts");
      const served = await serve(surroundings, {
        directory,
        socket: flags.socket === undefined ? null : resolve(surroundings.cwd, flags.socket),
        policies: flags.policies ?? null,
        limits: mib === undefined ? {} : { fileBytesMax: mib * 1024 * 1024 },
        stop,
        onStopped(message) {
          io.note(`the store takes nothing more: ${cleanText(message, 1_000)}`);
          io.note(
            "what was acknowledged is on the disk and still read from here; make room, end this, and serve it again",
          );
        },
        onReady({ socket, position, tornBytes }) {
          if (tornBytes > 0)
            io.note(
              `an unfinished write of a crash was cut off: ${tornBytes} bytes, of which nothing was acknowledged`,
            );
          if (json) io.out(jsonLine({ store: directory, socket, position, pid: surroundings.processId }));
          else
            io.out(
              `serving ${cleanLine(directory, 500)} at position ${position} on ${cleanLine(socket, 500)}; Ctrl-C ends it`,
            );
        },
      });
      if (!served.ok) fail(io, explainStore(served.error), json);
      else io.note("the server has stopped; everything that was acknowledged is on the disk");
    });
}
