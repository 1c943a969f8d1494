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

/** Ids of the children that began and are over. */
export async function startedChildren(files: Files, run: string): FileResult<readonly string[]> {
  const lines = await linesOf(files, delegationsPath(run));
  if (!lines.ok) return lines;
  const records = lines.value.flatMap((line) => readRecord(line) ?? []);
  return ok(
    records.flatMap(({ child_id, started_at_ms }) => (typeof started_at_ms === "number" ? (child_id ?? []) : [])),
  );
}

export async function openDelegationFiles(
  files: Files,
  run: string,
  onNote: (text: string) => void,
): FileResult<DelegationFiles> {
  const children = childrenPath(run);
  const delegations = delegationsPath(run);
  const [entries, recorded] = [await childEntries(files, run), await linesOf(files, delegations)];
  if (!entries.ok) return entries;
  if (!recorded.ok) return recorded;
  const records = recorded.value.flatMap((line) => readRecord(line) ?? []);
  // A child that was over before its parent heard of it is recorded already; one that was cancelled has gone on since.
  const over = new Set(records.filter(({ outcome }) => outcome !== "cancelled").map(({ seq }) => seq));
  const cancelled = new Set(records.filter(({ outcome }) => outcome === "cancelled").map(({ seq }) => seq));
  let noted = false;
  const onFailure = (message: string) => {
    if (!noted) onNote(`children are not recorded any more, the work goes on: ${message}`);
    noted = true;
  };
  const [notes, delegated] = [new Lines(files, children, onFailure), new Lines(files, delegations, onFailure)];
  return ok({
    before: entries.value,
    lastSeq: Math.max(0, ...records.map(({ seq }) => seq)),
    note: (more) => notes.append(more.map(childLine)),
    ended: async (record: DelegationRecord) => {
      if (over.has(record.seq)) return;
      over.add(record.seq);
      if (cancelled.has(record.seq)) await delegated.replace(record.seq, delegationLine(record));
      else await delegated.append([delegationLine(record)]);
    },
    close: async () => {
      await notes.close();
      await delegated.close();
    },
  });
}

/** Of the run before a crash; none for a run without children. */
export async function childEntries(files: Files, run: string): FileResult<readonly ChildEntry[]> {
  const lines = await linesOf(files, childrenPath(run));
  return lines.ok ? ok(lines.value.flatMap((line) => readChildLine(line) ?? [])) : lines;
}

function delegationsPath(run: string): string {
  return join(run, "delegations.jsonl");
}

function childrenPath(run: string): string {
  return join(run, "children.jsonl");
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

  /** The new line in place of the one with this number, wherever that stands; the file has one or the other, whatever happens. */
  replace(seq: number, line: string): Promise<void> {
    this.last = this.last.then(() => this.rewrite(seq, line));
    return this.last;
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

  private async rewrite(seq: number, line: string): Promise<void> {
    const { files, path } = this;
    const read = await linesOf(files, path);
    if (!read.ok) return this.onFailure(read.error.message);
    const others = read.value.filter((one) => readRecord(one)?.seq !== seq);
    const fresh = `${path}.new`;
    const written = await files.write(fresh, Buffer.from(`${[...others, line].join("\n")}\n`));
    const renamed = written.ok ? await files.rename(fresh, path) : written;
    if (!renamed.ok) return this.onFailure(renamed.error.message);
    await this.handle?.close();
    this.handle = null;
  }

  private async write(lines: readonly string[]): Promise<void> {
    if (this.handle === null) {
      const opened = await this.files.open(this.path, "append");
      if (!opened.ok) return this.onFailure(opened.error.message);
      this.handle = opened.value;
      // A crash may have torn the last line: the next one begins on its own.
      this.torn = !(await endsWhole(opened.value));
    }
    const text = `${this.torn ? "\n" : ""}${lines.join("\n")}\n`;
    const appended = await this.handle.append([Buffer.from(text, "utf8")]);
    // After a failure any part of the lines may be there.
    this.torn = !appended.ok;
    if (!appended.ok) this.onFailure(appended.error.message);
  }
}

async function endsWhole(handle: FileHandle): Promise<boolean> {
  const size = await handle.size();
  if (!size.ok || size.value === 0) return size.ok;
  const last = await handle.read(size.value - 1, 1);
  return last.ok && last.value[0] === newline;
}

const newline = 10;

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

const RECORD = z.object({
  seq: z.number().int().min(0),
  outcome: z.string(),
  child_id: z.string().nullish(),
  started_at_ms: z.union([z.number(), z.literal("unavailable")]).optional(),
});

/** Null for a line that a crash has torn. */
function readRecord(line: string): z.infer<typeof RECORD> | null {
  try {
    return RECORD.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
