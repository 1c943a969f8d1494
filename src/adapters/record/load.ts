// Reads a directory of recordings: the answers by what was asked, and the parts that say what differs where none fits.

import { join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, Files } from "../../host/files.ts";
import { parseLine, RECORDING_VERSION, type RecordingLine, type TimedEvent } from "./format.ts";
import { recordingBytesMax, recordingsMax } from "./recording.ts";

export interface ReplayError {
  readonly kind: "replay";
  readonly path: string;
  readonly message: string;
}

export interface RecordedRequest {
  readonly provider: string;
  readonly role: string;
  /** Sorted. */
  readonly taskKeys: readonly string[];
  readonly turn: number;
  /** Digests. */
  readonly messages: readonly string[];
  /** Null if the answer was lost in a crash, or nobody read it to its end. */
  readonly events: readonly TimedEvent[] | null;
}

export interface Recordings {
  readonly requests: readonly RecordedRequest[];
  /** What a digest stands for. */
  readonly parts: ReadonlyMap<string, unknown>;
}

export async function loadRecordings(
  files: Files,
  directory: string,
): Promise<Result<Recordings, FileError | ReplayError>> {
  const entries = await files.list(directory, recordingsMax * 2);
  if (!entries.ok) return entries;
  const names = entries.value.filter(({ kind, name }) => kind === "file" && name.endsWith(".jsonl"));
  const requests: RecordedRequest[] = [];
  const parts = new Map<string, unknown>();
  for (const { name } of names) {
    const path = join(directory, name);
    const bytes = await files.read(path, recordingBytesMax);
    if (!bytes.ok) return bytes;
    const lines = linesOf(bytes.value);
    const newer = lines.find((line) => line.type === "recording" && line.version > RECORDING_VERSION);
    if (newer !== undefined)
      return err({ kind: "replay", path, message: "the recording was made by a newer version of skein" });
    requests.push(...requestsOf(lines));
    for (const line of lines) if (line.type === "part") parts.set(line.digest, line.value);
  }
  if (requests.some((request) => request.events !== null)) return ok({ requests, parts });
  return err({ kind: "replay", path: directory, message: "the directory holds no recorded answer" });
}

/** Torn and damaged lines are passed over: the others stand for themselves. */
function linesOf(bytes: Uint8Array): readonly RecordingLine[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.split("\n").flatMap((line) => {
    const parsed = line === "" ? null : parseLine(line);
    return parsed === null ? [] : [parsed];
  });
}

function requestsOf(lines: readonly RecordingLine[]): readonly RecordedRequest[] {
  const answers = new Map(lines.flatMap((line) => (line.type === "answer" ? [[line.id, line.events] as const] : [])));
  return lines.flatMap((line) => {
    if (line.type !== "request") return [];
    const { id, provider, role, task_keys, turn, messages } = line;
    const events = answers.get(id);
    const last = events?.at(-1)?.event.kind;
    const whole = last === "done" || last === "error";
    return [
      { provider, role, taskKeys: [...task_keys].sort(), turn, messages, events: whole && events ? events : null },
    ];
  });
}
