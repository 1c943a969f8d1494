// Sees what the disk refuses to one job: a full disk, a used-up quota, a failing or read-only one. That is no fault of the task, so
// whatever it was at is given up and made again when there is room.

import { ok } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { FileError, FileHandle, FileResult, Files } from "../../host/files.ts";

const refusals: ReadonlySet<FileError["code"]> = new Set(["no-space", "io", "read-only"]);

/** As the system, git, a shell's commands and SQLite (of locks) say it. */
const refusalText =
  /\b(?:ENOSPC|EDQUOT|EIO|EROFS)\b|no space left on device|disk quota exceeded|input\/output error|read-only file system|database or disk is full|disk I\/O error/i;

/** As large as a file of the work usually is: a full disk may still take a few bytes. */
const probeBytes = 64 * 1024;

export class DiskWatch {
  /** The same files, watched. */
  readonly files: Files;
  readonly #inner: Files;
  #refusal: string | null = null;

  constructor(files: Files) {
    this.#inner = files;
    this.files = watched(files, (error) => this.#note(error));
  }

  /** What the disk first refused, with the path; null while all is well. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Whether a text of another program's speaks of a refusal that is real: the disk refuses a file at `probe` too. */
  async confirms(text: string, probe: string): Promise<boolean> {
    if (this.#refusal !== null) return true;
    if (!refusalText.test(text)) return false;
    const written = await this.#inner.write(probe, new Uint8Array(probeBytes), { private: true });
    await this.#inner.remove(probe);
    if (!written.ok) this.#note(written.error);
    return this.#refusal !== null;
  }

  #note(error: FileError): void {
    if (refusals.has(error.code)) this.#refusal ??= refusalOf(error);
  }
}

/** For a person, where this is a refusal of the disk; else null. */
export function diskRefusal(error: FileError): string | null {
  return refusals.has(error.code) ? refusalOf(error) : null;
}

/** The same of an error's text, where nothing else is known of it. */
export function diskRefusalIn(message: string): string | null {
  return refusalText.test(message) ? cleanLine(message, 1_000) : null;
}

function refusalOf({ path, message }: FileError): string {
  return cleanLine(`${path}: ${message}`, 1_000);
}

type Note = (error: FileError) => void;

function watched(files: Files, note: Note): Files {
  const see = async <T>(result: FileResult<T>): FileResult<T> => {
    const done = await result;
    if (!done.ok) note(done.error);
    return done;
  };
  return {
    open: async (...args) => {
      const opened = await see(files.open(...args));
      return opened.ok ? ok(watchedHandle(opened.value, see)) : opened;
    },
    read: (...args) => see(files.read(...args)),
    write: (...args) => see(files.write(...args)),
    copy: (...args) => see(files.copy(...args)),
    setExecutable: (...args) => see(files.setExecutable(...args)),
    rename: (...args) => see(files.rename(...args)),
    remove: (...args) => see(files.remove(...args)),
    removeEmptyDirectory: (...args) => see(files.removeEmptyDirectory(...args)),
    makePrivate: (...args) => see(files.makePrivate(...args)),
    makeDirectory: (...args) => see(files.makeDirectory(...args)),
    claimDirectory: (...args) => see(files.claimDirectory(...args)),
    list: (...args) => see(files.list(...args)),
    stat: (...args) => see(files.stat(...args)),
    readLink: (...args) => see(files.readLink(...args)),
    makeLink: (...args) => see(files.makeLink(...args)),
    realPath: (...args) => see(files.realPath(...args)),
    identity: (...args) => see(files.identity(...args)),
    syncDirectory: (...args) => see(files.syncDirectory(...args)),
  };
}

function watchedHandle(handle: FileHandle, see: <T>(result: FileResult<T>) => FileResult<T>): FileHandle {
  return {
    read: (offset, length) => see(handle.read(offset, length)),
    append: (chunks) => see(handle.append(chunks)),
    sync: () => see(handle.sync()),
    truncate: (size) => see(handle.truncate(size)),
    size: () => see(handle.size()),
    close: () => see(handle.close()),
  };
}
