// A little room on the disk that holds a run, given back when the run ends: a full disk can then still take how it ended.
// A file system that compresses keeps less of it.

import { join } from "node:path";
import type { FileResult, Files } from "../host/files.ts";
import type { RunDirectories } from "./state-directory.ts";

/** Enough for the last records and for what a small branch needs in git. */
const reserveBytes = 256 * 1024;

export function takeReserve(files: Files, { run }: RunDirectories): FileResult<void> {
  return files.write(join(run, reserveName), new Uint8Array(reserveBytes), { private: true });
}

/** With the blobs that workspaces were made from, which the store has too. */
export async function makeRoom(files: Files, { run, blobs }: RunDirectories): Promise<void> {
  await files.remove(join(run, reserveName));
  await files.remove(blobs);
}

const reserveName = "reserve";
