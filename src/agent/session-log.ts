// A transcript file: one JSON line per message, result, request, start and end of an agent's session,
// each, or a request and its answer together, appended with one write. Lines are only ever added; a line torn by a crash is closed off when the file is opened again.

import { dirname } from "node:path";
import { ok } from "../base/result.ts";
import type { FileHandle, FileResult, Files } from "../host/files.ts";
import type { SessionLog, SessionOwner } from "./session-entry.ts";
import { entryLine } from "./session-line.ts";

export interface SessionFile extends SessionLog {
  /** Makes everything durable and closes the file. */
  close(): FileResult<void>;
}

/** Opens (or creates) the transcript `path` (`agents/<id>.jsonl`) for appending; its directory must exist. */
export async function openSessionLog(files: Files, path: string, owner: SessionOwner): FileResult<SessionFile> {
  const opened = await files.open(path, "append");
  if (!opened.ok) return opened;
  const handle = opened.value;
  const torn = await endsTorn(files, path);
  if (!torn.ok) {
    await handle.close();
    return torn;
  }
  const syncName = () => files.syncDirectory(dirname(path));
  return ok(sessionFile({ handle, owner, torn: torn.value, syncName }));
}

interface Opened {
  readonly handle: FileHandle;
  readonly owner: SessionOwner;
  readonly torn: boolean;
  readonly syncName: () => FileResult<void>;
}

function sessionFile({ handle, owner, syncName, ...opened }: Opened): SessionFile {
  let torn = opened.torn;
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  return {
    append: (...entries) =>
      inOrder(async () => {
        const lines = entries.map((entry) => `${entryLine(entry, owner)}\n`).join("");
        const appended = await handle.append([Buffer.from(torn ? `\n${lines}` : lines, "utf8")]);
        // After a failure any part of the lines may be there: the next one must not run on from it.
        torn = !appended.ok;
        return appended;
      }),
    close: () =>
      inOrder(async () => {
        const synced = await handle.sync();
        const closed = await handle.close();
        const named = await syncName();
        return [synced, closed].find((done) => !done.ok) ?? named;
      }),
  };
}

/** Whether the last line lacks its newline. */
async function endsTorn(files: Files, path: string): FileResult<boolean> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return opened;
  const size = await opened.value.size();
  const last = size.ok && size.value > 0 ? await opened.value.read(size.value - 1, 1) : ok(new Uint8Array([NEWLINE]));
  await opened.value.close();
  if (!size.ok) return size;
  return last.ok ? ok(last.value[0] !== NEWLINE) : last;
}

const NEWLINE = 0x0a;
