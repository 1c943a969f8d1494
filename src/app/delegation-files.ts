// The files in which a run keeps its delegations: `delegations.jsonl` for people and measurements, `children.jsonl` to know its children
// again after a crash. Lines are appended with one write each; what cannot be written is said once, and the work goes on.

import { join } from "node:path";
import { z } from "zod";
import {
  type ChildEntry,
  childLine,
  type DelegationLog,
  type DelegationRecord,
  delegationLine,
  readChildLine,
} from "../agent/delegation-record.ts";
import { ok } from "../base/result.ts";
import type { FileHandle, FileResult, Files } from "../host/files.ts";

export interface DelegationFiles extends DelegationLog {
  /** Of the run before a crash. */
  readonly before: readonly ChildEntry[];
  /** Of its delegations, refused ones included; 0 without any. */
  readonly lastSeq: number;
  close(): Promise<void>;
}

const linesBytesMax = 256 * 1024 * 1024;

export async function openDelegationFiles(
  files: Files,
  run: string,
  onNote: (text: string) => void,
): FileResult<DelegationFiles> {
  const children = join(run, "children.jsonl");
  const delegations = join(run, "delegations.jsonl");
  const [told, recorded] = [await linesOf(files, children), await linesOf(files, delegations)];
  if (!told.ok) return told;
  if (!recorded.ok) return recorded;
  const entries = told.value.flatMap((line) => readChildLine(line) ?? []);
  const records = recorded.value.flatMap((line) => readRecord(line) ?? []);
  // A child that was over before its parent heard of it is recorded already; one that was cancelled may have gone on.
  const over = new Set(records.filter(({ outcome }) => outcome !== "cancelled").map(({ seq }) => seq));
  let noted = false;
  const onFailure = (message: string) => {
    if (!noted) onNote(`children are not recorded any more, the work goes on: ${message}`);
    noted = true;
  };
  const [notes, delegated] = [new Lines(files, children, onFailure), new Lines(files, delegations, onFailure)];
  return ok({
    before: entries,
    lastSeq: Math.max(0, ...records.map(({ seq }) => seq)),
    note: (more) => notes.append(more.map(childLine)),
    ended: async (record: DelegationRecord) => {
      if (!over.has(record.seq)) await delegated.append([delegationLine(record)]);
    },
    close: async () => {
      await notes.close();
      await delegated.close();
    },
  });
}

/** Opened with the first line: a run without children has no such files. */
class Lines {
  private readonly files: Files;
  private readonly path: string;
  private readonly onFailure: (message: string) => void;
  private handle: FileHandle | null = null;
  /** The file's last line may lack its end. */
  private torn = false;
  private last: Promise<void> = Promise.resolve();

  constructor(files: Files, path: string, onFailure: (message: string) => void) {
    this.files = files;
    this.path = path;
    this.onFailure = onFailure;
  }

  append(lines: readonly string[]): Promise<void> {
    this.last = this.last.then(() => this.write(lines));
    return this.last;
  }

  async close(): Promise<void> {
    await this.last;
    await this.handle?.sync();
    await this.handle?.close();
  }

  private async write(lines: readonly string[]): Promise<void> {
    if (this.handle === null) {
      const opened = await this.files.open(this.path, "append");
      if (!opened.ok) return this.onFailure(opened.error.message);
      this.handle = opened.value;
      const size = await opened.value.size();
      // A crash may have torn the last line: the next one begins on its own.
      this.torn = size.ok && size.value > 0;
    }
    const text = `${this.torn ? "\n" : ""}${lines.join("\n")}\n`;
    const appended = await this.handle.append([Buffer.from(text, "utf8")]);
    // After a failure any part of the lines may be there.
    this.torn = !appended.ok;
    if (!appended.ok) this.onFailure(appended.error.message);
  }
}

async function linesOf(files: Files, path: string): FileResult<readonly string[]> {
  const read = await files.read(path, linesBytesMax);
  if (!read.ok) return read.error.code === "not-found" ? ok([]) : read;
  return ok(
    Buffer.from(read.value)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
}

const RECORD = z.object({ seq: z.number().int().min(0), outcome: z.string() });

/** Null for a line that a crash has torn. */
function readRecord(line: string): z.infer<typeof RECORD> | null {
  try {
    return RECORD.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
