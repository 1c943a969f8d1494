// What `skein vcs` does to a store, whether its server does it or this process: one function a command, one answer for both.

import type { ClientError } from "../adapters/socket/client.ts";
import type { Stats } from "../adapters/socket/served-store.ts";
import { flag, list, natural, nullable, object, type Parsed, type Parser, parse, text } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { Committed, CommitWish } from "./store-commit.ts";
import { type DoorError, openDoorToRead, openDoorToWrite, serverOf, type WriteDoor } from "./store-door.ts";
import { storeStats } from "./store-figures.ts";
import { checkStore } from "./store-fsck.ts";
import { collectStore, gcErrorText } from "./store-gc.ts";
import {
  type ImportedReport,
  type ImportWish,
  importNothing,
  importRevision,
  type StoreImportError,
} from "./store-import.ts";
import { lookBefore, takeBack } from "./store-made.ts";
import type { StoreMirrorError } from "./store-mirror.ts";
import { findStore, nameStore, type PlaceError, type StoreWish } from "./store-place.ts";
import type { Surroundings } from "./surroundings.ts";
import type { VcsStoreOptions } from "./vcs-store.ts";
import { commitFrom, type WorkspaceCommitError } from "./workspace-commit.ts";

export type VcsError =
  | PlaceError
  | DoorError
  | StoreImportError
  | WorkspaceCommitError
  | StoreMirrorError
  | { readonly kind: "gc"; readonly message: string; readonly store: string }
  | { readonly kind: "fsck"; readonly message: string; readonly store: string }
  /** The store's server says so. */
  | { readonly kind: "server"; readonly error: ClientError; readonly store: string };

export interface Done<T> {
  readonly store: string;
  /** Who did it: this process, or the one that has the store open. */
  readonly by: "server" | "here";
  readonly value: T;
}

type Answer<T> = Promise<Result<Done<T>, VcsError>>;

const importedReport: Parser<ImportedReport> = object({
  position: natural(),
  files: natural(),
  commit: text(64),
  tree: text(64),
  commits: natural(),
  merges: natural(),
  isCutShort: flag,
});

const gcFigures = object({
  keptFrom: natural(),
  blobsRemoved: natural(),
  bytesRemoved: natural(),
  segmentsRewritten: natural(),
});
export type GcFigures = Parsed<typeof gcFigures>;

const fsckFigures = object({
  records: natural(),
  blobs: natural(),
  bytes: natural(),
  referenced: natural(),
  largeContents: natural(),
  faults: list(
    object({ file: text(4_096), offset: natural(), position: nullable(natural()), message: text(100_000) }),
    100_000,
  ),
  notes: list(text(100_000), 100_000),
});
export type FsckFigures = Parsed<typeof fsckFigures>;

/** Makes the store; `empty`: with an empty tree, so that commits can begin. */
export async function vcsInit(surroundings: Surroundings, wish: StoreWish, empty: ObjectFormat | null): Answer<number> {
  const place = await nameStore(surroundings, wish);
  if (!place.ok) return place;
  const made = await surroundings.host.files.makeDirectory(place.value.directory);
  if (!made.ok) return made;
  return writing(surroundings, place.value.directory, async (door) => {
    if (door.kind === "server") {
      const head = await door.client.head();
      return head.ok ? ok(head.value.position) : err(fromServer(head.error, place.value.directory));
    }
    if (empty === null || door.store.vcs.imported() !== null) return ok(door.store.vcs.head());
    const imported = await importNothing(door.store.vcs, empty);
    return imported.ok ? ok(imported.value.position) : imported;
  });
}

export async function vcsImport(
  surroundings: Surroundings,
  wish: StoreWish,
  source: ImportWish,
): Answer<ImportedReport> {
  const place = await nameStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory } = place.value;
  const before = await lookBefore(surroundings.host.files, directory);
  const made = await surroundings.host.files.makeDirectory(directory);
  if (!made.ok) return made;
  return writing(surroundings, directory, async (door) => {
    if (door.kind === "writer") {
      const imported = await importRevision(surroundings, door.store.vcs, source);
      // Under the lock still: nobody else can have begun it meanwhile.
      if (!imported.ok && door.store.vcs.imported() === null)
        await takeBack(surroundings.host.files, directory, before);
      return imported;
    }
    const head = await door.client.head();
    if (!head.ok) return err(fromServer(head.error, directory));
    const there = head.value.imported;
    if (there !== null) return err({ kind: "import", error: { kind: "already-imported", position: there.position } });
    const answered = await door.client.import(source);
    return answered.ok
      ? reportOf(importedReport, answered.value.report, directory)
      : err(fromServer(answered.error, directory));
  });
}

export async function vcsCommit(surroundings: Surroundings, wish: StoreWish, commit: CommitWish): Answer<Committed> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const act = (door: WriteDoor) => commitFrom(surroundings, place.value, door, commit);
  return writing<Committed, VcsError>(surroundings, place.value.directory, act, {
    caseOnlyNames: commit.caseOnlyNames,
  });
}

export async function vcsStats(surroundings: Surroundings, wish: StoreWish): Answer<Stats> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory } = place.value;
  const door = await openDoorToRead(surroundings, directory);
  if (!door.ok) return door;
  try {
    switch (door.value.kind) {
      case "server": {
        const stats = await door.value.client.stats();
        if (!stats.ok) return err(fromServer(stats.error, directory));
        return ok({ store: directory, by: "server", value: stats.value });
      }
      case "files":
        return ok({ store: directory, by: "here", value: storeStats(door.value.view) });
      case "writer":
        return ok({ store: directory, by: "here", value: storeStats(door.value.store) });
    }
  } finally {
    await door.value.close();
  }
}

/** `keep`: snapshots before the head whose contents stay; null: all. */
export async function vcsGc(surroundings: Surroundings, wish: StoreWish, keep: number | null): Answer<GcFigures> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory } = place.value;
  return writing(surroundings, directory, async (door) => {
    if (door.kind === "server") {
      const answered = await door.client.gc(keep);
      return answered.ok
        ? reportOf(gcFigures, answered.value.report, directory)
        : err(fromServer(answered.error, directory));
    }
    const report = await collectStore(surroundings.host, { store: door.store, directory, keep });
    return report.ok ? report : err({ kind: "gc", message: gcErrorText(report.error), store: directory });
  });
}

/** Reads the files while nobody writes; else their writer does. */
export async function vcsFsck(surroundings: Surroundings, wish: StoreWish): Answer<FsckFigures> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory } = place.value;
  const client = await serverOf(surroundings, directory);
  if (client === null) {
    const report = await checkStore(surroundings.host, directory);
    if (report.ok) return ok({ store: directory, by: "here", value: report.value });
    return err({ kind: "fsck", message: `${report.error.file}: ${report.error.message}`, store: directory });
  }
  const answered = await client.fsck();
  client.close();
  if (!answered.ok) return err(fromServer(answered.error, directory));
  const report = reportOf(fsckFigures, answered.value.report, directory);
  return report.ok ? ok({ store: directory, by: "server", value: report.value }) : report;
}

/** Opens the store to write, acts and closes it. */
export async function writing<T, E = VcsError>(
  surroundings: Surroundings,
  directory: string,
  act: (door: WriteDoor) => Promise<Result<T, E>>,
  options: Omit<VcsStoreOptions, "policies"> = {},
): Promise<Result<Done<T>, E | DoorError>> {
  // Whoever writes by hand holds no lease: a run's own policies are for its workers.
  const door = await openDoorToWrite(surroundings, directory, { policies: [], ...options });
  if (!door.ok) return door;
  try {
    const value = await act(door.value);
    return value.ok
      ? ok({ store: directory, by: door.value.kind === "server" ? "server" : "here", value: value.value })
      : value;
  } finally {
    await door.value.close();
  }
}

function reportOf<T>(parser: Parser<T>, report: string, store: string): Result<T, VcsError> {
  try {
    const parsed = parse(parser, JSON.parse(report), "report");
    if (parsed.ok) return parsed;
    return err(fromServer({ kind: "failed", failed: "internal", message: parsed.error.message }, store));
  } catch (error) {
    return err(fromServer({ kind: "failed", failed: "internal", message: String(error) }, store));
  }
}

export function fromServer(error: ClientError, store: string): VcsError {
  return { kind: "server", error, store };
}
