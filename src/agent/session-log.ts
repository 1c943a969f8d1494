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
  const opened = await files.open(path, "append", { private: true });
  if (!opened.ok) return opened;
  const handle = opened.value;
  const found = await lookAtEnd(files, path);
  if (!found.ok) {
    await handle.close();
    return found;
  }
  const syncName = () => files.syncDirectory(dirname(path));
  return ok(sessionFile({ handle, owner, ...found.value, syncName }));
}

interface Found {
  readonly size: number;
  /** The last line lacks its newline. */
  readonly torn: boolean;
}

interface Opened extends Found {
  readonly handle: FileHandle;
  readonly owner: SessionOwner;
  readonly syncName: () => FileResult<void>;
}

function sessionFile({ handle, owner, syncName, ...opened }: Opened): SessionFile {
  let { torn, size } = opened;
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
        const bytes = Buffer.from(torn ? `\n${lines}` : lines, "utf8");
        const appended = await handle.append([bytes]);
        if (appended.ok) {
          size += bytes.length;
          torn = false;
          return appended;
        }
        // Any part of the lines may be there, a request without its answer: a full disk lets it be taken back. Else the next line
        // must not run on from it.
        const taken = await handle.truncate(size);
        torn ||= !taken.ok;
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

async function lookAtEnd(files: Files, path: string): FileResult<Found> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return opened;
  const size = await opened.value.size();
  const last = size.ok && size.value > 0 ? await opened.value.read(size.value - 1, 1) : ok(new Uint8Array([NEWLINE]));
  await opened.value.close();
  if (!size.ok) return size;
  return last.ok ? ok({ size: size.value, torn: last.value[0] !== NEWLINE }) : last;
}

const NEWLINE = 0x0a;
