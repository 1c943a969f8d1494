// One open file of the simulated disk. Appended bytes are volatile until `sync`; a power loss makes the handle invalid.

import { ok, type Result } from "../../../base/result.ts";
import type { FileHandle, FileResult } from "../../../host/files.ts";
import { type FilesContext, failed, systemCall } from "./context.ts";
import type { ArmedFault, DiskOperation } from "./faults.ts";
import type { FileInode } from "./inode.ts";
import { type Fault, fault } from "./walk.ts";

export interface HandleOptions {
  readonly writable: boolean;
  readonly durable: boolean;
}

export function simFileHandle(
  context: FilesContext,
  path: string,
  file: FileInode,
  { writable, durable }: HandleOptions,
): FileHandle {
  const { disk, faults, life } = context;
  const { generation } = disk;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  function call<T>(op: DiskOperation, work: (armed: ArmedFault | null) => Result<T, Fault>): FileResult<T> {
    return systemCall(life, path, () => {
      if (closed) return fault("other", "EBADF: file closed");
      if (generation !== disk.generation) return fault("other", "EBADF: lost in a crash");
      return work(faults.take(op, path));
    });
  }

  function inOrder<T>(work: () => FileResult<T>): FileResult<T> {
    const result = last.then(work);
    last = result;
    return result;
  }

  function change(op: DiskOperation, work: (armed: ArmedFault | null) => Result<void, Fault>): FileResult<void> {
    return call(op, (armed) => {
      if (!writable) return fault("other", "EBADF: not open for writing");
      file.changedMs = disk.stamp();
      return work(armed);
    });
  }

  async function sync(): FileResult<void> {
    // As fdatasync: bytes appended while it runs are not its business.
    const covered = file.changeCount;
    await context.flushTime();
    return call("sync", (armed) => {
      if (armed !== null) return failed(armed);
      file.flush(covered);
      return ok(undefined);
    });
  }

  return {
    read: (offset, length) =>
      call("read", (armed) => (armed === null ? ok(file.live.slice(offset, offset + length)) : failed(armed))),
    size: () => call("stat", (armed) => (armed === null ? ok(file.live.size) : failed(armed))),
    append(chunks) {
      const bytes = Buffer.concat(chunks);
      return inOrder(async () => {
        const appended = await change("append", (armed) => {
          file.append(armed === null ? bytes : bytes.subarray(0, armed.afterBytes ?? 0));
          return armed === null ? ok(undefined) : failed(armed);
        });
        return appended.ok && durable ? sync() : appended;
      });
    },
    truncate: (size) =>
      inOrder(() =>
        change("truncate", (armed) => {
          if (armed !== null) return failed(armed);
          file.truncate(size);
          return ok(undefined);
        }),
      ),
    sync: () => inOrder(sync),
    close: () =>
      inOrder(() =>
        systemCall(life, path, () => {
          closed = true;
          return ok(undefined);
        }),
      ),
  };
}
