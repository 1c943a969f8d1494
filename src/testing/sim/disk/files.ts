// The Files port of one simulated process: the disk's operations, with the process's life, armed faults and flush times around them.

import { ok, type Result } from "../../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../../host/files.ts";
import { type FilesContext, failed, systemCall } from "./context.ts";
import type { Disk } from "./disk.ts";
import type { DiskOperation } from "./faults.ts";
import { simFileHandle } from "./file-handle.ts";
import * as operations from "./operations.ts";
import { type Fault, fault } from "./walk.ts";

export function simFiles(context: FilesContext): Files {
  const { disk, faults, life } = context;

  function call<T>(op: DiskOperation, path: string, work: () => Result<T, Fault>): FileResult<T> {
    return systemCall(life, path, () => {
      const armed = faults.take(op, path);
      return armed === null ? work() : failed(armed);
    });
  }

  return {
    open: (path, mode, options) => call("open", path, () => open(context, path, mode, options?.durable ?? false)),
    read: (path, bytesMax) => call("read", path, () => readWhole(disk, path, bytesMax)),
    write: (path, bytes, options) =>
      systemCall(life, path, () => {
        const armed = faults.take("write", path);
        if (armed === null) return writeWhole(disk, path, bytes, options?.executable);
        const written = writeWhole(disk, path, bytes.subarray(0, armed.afterBytes ?? 0), options?.executable);
        return written.ok ? failed(armed) : written;
      }),
    copy: (from, to, options) => call("copy", to, () => operations.copy(disk, from, to, options?.executable)),
    setExecutable: (path, executable) =>
      call("setExecutable", path, () => operations.setExecutable(disk, path, executable)),
    rename: (from, to) => call("rename", from, () => operations.rename(disk, from, to)),
    remove: (path) => call("remove", path, () => operations.remove(disk, path)),
    removeEmptyDirectory: (path) =>
      call("removeEmptyDirectory", path, () => operations.removeEmptyDirectory(disk, path)),
    makePrivate: (path) => call("makePrivate", path, () => operations.makePrivate(disk, path)),
    makeDirectory: (path) => call("makeDirectory", path, () => operations.makeDirectory(disk, path)),
    claimDirectory: (path) => call("claimDirectory", path, () => operations.claimDirectory(disk, path)),
    list: (path, limit) => call("list", path, () => operations.list(disk, path, limit)),
    stat: (path) => call("stat", path, () => operations.stat(disk, path)),
    readLink: (path) => call("readLink", path, () => operations.readLink(disk, path)),
    makeLink: (target, path) => call("makeLink", path, () => operations.makeLink(disk, target, path)),
    realPath: (path) => call("realPath", path, () => realPath(disk, path)),
    identity: (path) => call("identity", path, () => identity(disk, path)),
    async syncDirectory(path) {
      await context.flushTime();
      return call("syncDirectory", path, () => {
        const directory = operations.directoryAt(disk, path);
        if (!directory.ok) return directory;
        disk.flushNames(directory.value);
        return ok(undefined);
      });
    },
  };
}

function open(
  context: FilesContext,
  path: string,
  mode: "read" | "append" | "create",
  durable: boolean,
): Result<FileHandle, Fault> {
  const file = toOpen(context.disk, path, mode);
  return file.ok ? ok(simFileHandle(context, path, file.value, { writable: mode !== "read", durable })) : file;
}

function toOpen(disk: Disk, path: string, mode: "read" | "append" | "create"): ReturnType<typeof operations.fileAt> {
  if (mode === "read") return operations.fileAt(disk, path);
  if (mode === "create") return operations.createAt(disk, path);
  const opened = operations.fileToWrite(disk, path);
  return opened.ok ? ok(opened.value.file) : opened;
}

function readWhole(disk: Disk, path: string, bytesMax: number): Result<Uint8Array, Fault> {
  const file = operations.fileAt(disk, path);
  if (!file.ok) return file;
  const { live } = file.value;
  return live.size > bytesMax ? fault("too-large", `larger than ${bytesMax} bytes`) : ok(live.slice(0, live.size));
}

function writeWhole(disk: Disk, path: string, bytes: Uint8Array, executable: boolean | undefined): Result<void, Fault> {
  const opened = operations.fileToWrite(disk, path);
  if (!opened.ok) return opened;
  const { file, fresh } = opened.value;
  if (!fresh) file.truncate(0);
  file.append(bytes);
  if (executable !== undefined) file.executable = executable;
  file.changedMs = disk.stamp();
  return ok(undefined);
}

function identity(disk: Disk, path: string): Result<string, Fault> {
  const found = operations.existing(disk, path, true);
  return found.ok ? ok(disk.identityOf(found.value.inode)) : found;
}

function realPath(disk: Disk, path: string): Result<string, Fault> {
  const found = operations.existing(disk, path, true);
  return found.ok ? ok(found.value.realPath) : found;
}
