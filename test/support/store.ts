// A run's store as a later reader finds it: the records of its log, and the transcripts it names.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { asBlobId, asPosition } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import type { StoredRecord } from "../../src/log/log.ts";
import { decodeRecord } from "../../src/log/record-codec.ts";
import { ByteWindow } from "../../src/log/segments/byte-window.ts";
import { listSegments } from "../../src/log/segments/segment-files.ts";
import { decodeSegmentHeader, segmentHeaderBytes } from "../../src/log/segments/segment-header.ts";
import { openLogReader } from "../../src/log/segments/segment-log.ts";
import { walkFrames } from "../../src/log/segments/walk.ts";
import { type RecordData, type RecordType, readSwarmRecord } from "../../src/swarm/records.ts";

export interface StoreView {
  readonly records: readonly StoredRecord[];
  /** The swarm's records of one type, in order. */
  all<T extends RecordType>(type: T): readonly RecordData<T>[];
  /** The id of the task a planner named so. */
  task(key: string): string;
  /** A stored content as text. */
  blob(id: string): Promise<string>;
}

/** `run` is the run's directory, which `--json` names as `store`. */
export async function readStore(run: string): Promise<StoreView> {
  const open = async () =>
    unwrap(await openLogReader({ files: nodeHost().files, directory: join(run, "store") }), "open the store");
  const log = await open();
  const records: StoredRecord[] = [];
  for await (const record of log.read(asPosition(0))) records.push(record);
  await log.close();
  const all = <T extends RecordType>(type: T): readonly RecordData<T>[] =>
    records.flatMap((record) => {
      const own = record.type === type ? readSwarmRecord(record) : null;
      return own === null ? [] : [own.data as RecordData<T>];
    });
  return {
    records,
    all,
    task: (key) => all("task_added").find((task) => task.key === key)?.task ?? `no task ${key}`,
    blob: async (id) => {
      const reader = await open();
      const bytes = unwrap(await reader.blob(asBlobId(id)), "read a blob");
      await reader.close();
      return Buffer.from(bytes).toString("utf8");
    },
  };
}

/** The records of each append, in order: what stands in one frame became durable as a whole. */
export async function appends(run: string): Promise<readonly (readonly StoredRecord[])[]> {
  const { files } = nodeHost();
  const found: StoredRecord[][] = [];
  for (const { form } of unwrap(await listSegments(files, join(run, "store")), "list the segments").segments) {
    if (form === null) throw new Error("a segment is neither whole nor sealed");
    const { path } = form;
    const bytes = readFileSync(path);
    const header = decodeSegmentHeader(bytes);
    if (header.kind !== "valid") throw new Error(`${path} is no segment`);
    const handle = unwrap(await files.open(path, "read"), "open a segment");
    const window = new ByteWindow(handle, bytes.length, bytes.length);
    const from = {
      offset: segmentHeaderBytes,
      sequence: header.header.firstSequence,
      position: header.header.firstPosition,
    };
    for await (const event of walkFrames(window, header.seed, from)) {
      if (event.kind !== "frames") continue;
      for (const { header: frame, records } of event.frames)
        found.push(
          records.flatMap((record, index) => decodeRecord(record, asPosition(frame.firstPosition + index)) ?? []),
        );
    }
    await handle.close();
  }
  return found;
}
