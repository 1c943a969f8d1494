// One settings file of a client on the disk: read through symlinks, replaced in one step. Invariant: the file is at every moment the old
// one or the new one, and one that somebody else has written meanwhile is left as it is.

import { basename, dirname, join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";

export interface SettingsOnDisk {
  /** As the client names it. */
  readonly path: string;
  /** Where it really lies; the same where it is missing. */
  readonly real: string;
  /** Null where there is no such file. */
  readonly bytes: Uint8Array | null;
}

export interface Replacement {
  readonly file: SettingsOnDisk;
  /** Null removes it. */
  readonly bytes: Uint8Array | null;
}

export type SettingsFileError =
  | FileError
  /** A symlink to nothing: whether its target is to be made is the person's to say. */
  | { readonly kind: "dangling"; readonly path: string; readonly target: string }
  | { readonly kind: "changed-meanwhile"; readonly path: string };

const bytesMax = 4 * 1024 * 1024;

export async function readSettings({ files }: Host, path: string): Promise<Result<SettingsOnDisk, SettingsFileError>> {
  const real = await files.realPath(path);
  if (!real.ok) {
    if (real.error.code !== "not-found") return real;
    const link = await files.readLink(path);
    if (link.ok) return err({ kind: "dangling", path, target: link.value });
    return ok({ path, real: path, bytes: null });
  }
  const bytes = await files.read(real.value, bytesMax);
  return bytes.ok ? ok({ path, real: real.value, bytes: bytes.value }) : err({ ...bytes.error, path });
}

/** Makes missing directories; the first one that was made is the value, null where none was. */
export async function replaceSettings(
  host: Host,
  { file, bytes }: Replacement,
): Promise<Result<string | null, SettingsFileError>> {
  const { files } = host;
  const directory = dirname(file.real);
  const made = file.bytes === null ? await firstMissing(host, directory) : null;
  if (made !== null) {
    const makes = await files.makeDirectory(directory);
    if (!makes.ok) return makes;
  }
  if (bytes === null) {
    const same = await stillTheSame(host, file);
    if (!same.ok) return same;
    const removed = await files.remove(file.real);
    return removed.ok ? ok(null) : removed;
  }
  const temporary = join(directory, `.${basename(file.real)}.skein-${host.random.letters(8)}`);
  const written = await writeTemporary(host, file, temporary, bytes);
  if (!written.ok) {
    await files.remove(temporary);
    return written;
  }
  const replaced = await replaceIfSame(host, file, temporary);
  if (!replaced.ok) {
    await files.remove(temporary);
    return replaced;
  }
  // The file itself is durable; where a directory cannot be flushed the rename comes a little later.
  await files.syncDirectory(directory);
  return ok(made);
}

/**
 * Looks again right before the rename. Who writes into the old file between that look and the rename writes into one that has no name any
 * more: it is kept open, looked at afterwards, and what it holds is put back.
 */
async function replaceIfSame(
  host: Host,
  file: SettingsOnDisk,
  temporary: string,
): Promise<Result<void, SettingsFileError>> {
  const { files } = host;
  const old = file.bytes === null ? null : await files.open(file.real, "read");
  if (old?.ok === false) return old;
  const same = await stillTheSame(host, file);
  const renamed = same.ok ? await files.rename(temporary, file.real) : same;
  const later = old !== null && renamed.ok ? await old.value.read(0, bytesMax) : null;
  await old?.value.close();
  if (!renamed.ok || later?.ok !== true || file.bytes === null || Buffer.compare(later.value, file.bytes) === 0)
    return renamed;
  const copied = await files.copy(file.real, temporary);
  const put = copied.ok ? await files.write(temporary, later.value) : copied;
  const back = put.ok ? await files.rename(temporary, file.real) : put;
  return back.ok ? err({ kind: "changed-meanwhile", path: file.path }) : back;
}

/** With the old file's mode, which may keep others from reading it. */
async function writeTemporary(
  { files }: Host,
  { real, bytes: old }: SettingsOnDisk,
  temporary: string,
  bytes: Uint8Array,
): Promise<Result<void, FileError>> {
  if (old !== null) {
    // A file that its owner has made read-only is not replaced behind their back.
    const writable = await files.open(real, "append");
    if (!writable.ok) return writable;
    await writable.value.close();
    const copied = await files.copy(real, temporary);
    if (!copied.ok) return copied;
  }
  const written = await files.write(temporary, bytes);
  if (!written.ok) return written;
  const handle = await files.open(temporary, "append");
  return handle.ok ? flush(handle.value) : handle;
}

async function flush(handle: FileHandle): Promise<Result<void, FileError>> {
  const synced = await handle.sync();
  await handle.close();
  return synced;
}

async function stillTheSame(
  host: Host,
  { path, real, bytes }: SettingsOnDisk,
): Promise<Result<void, SettingsFileError>> {
  const now = await readSettings(host, path);
  if (!now.ok) return now;
  // A link that leads elsewhere by now is another file.
  const same =
    now.value.real !== real
      ? false
      : bytes === null || now.value.bytes === null
        ? bytes === now.value.bytes
        : Buffer.compare(bytes, now.value.bytes) === 0;
  return same ? ok(undefined) : err({ kind: "changed-meanwhile", path });
}

async function firstMissing({ files }: Host, directory: string): Promise<string | null> {
  let missing: string | null = null;
  for (let at = directory; ; at = dirname(at)) {
    if ((await files.stat(at)).ok || at === dirname(at)) return missing;
    missing = at;
  }
}
