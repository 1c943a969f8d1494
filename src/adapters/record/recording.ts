// A recording being written: one file a process, one write a line, in order. What cannot be written (disk full, too large) ends the
// recording with a word to the person and never the work that is recorded.

import { join } from "node:path";
import { err, ok } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { FileError, FileHandle, FileResult, Files } from "../../host/files.ts";
import { recordingLine } from "./format.ts";
import { type Neutral, type NeutralSettings, neutralText } from "./neutral.ts";

/** Files of one directory: one for each process that ever recorded into it. */
export const recordingsMax = 10_000;
/** A longer line (a gigantic tool result or answer) is left out. */
const lineBytesMax = 16 * 1024 * 1024;
/** A file is ended before it grows beyond this: it is read whole. */
export const recordingBytesMax = 512 * 1024 * 1024;

export interface RecordingSettings extends NeutralSettings {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute; made where it is missing. */
  readonly directory: string;
  /** Told once, when the recording ends early. Must not throw. */
  readonly onFailure: (error: FileError) => void;
}

export interface Recording {
  readonly clock: Clock;
  readonly neutral: Neutral["neutral"];
  /** Number of a new request. */
  nextId(): number;
  /** Takes the line's place in the order at once; resolves when it is written or was left out. Never rejects. */
  write(line: unknown): Promise<void>;
  /** True the first time for each digest. */
  isNew(digest: string): boolean;
  close(): FileResult<void>;
}

export async function openRecording(settings: RecordingSettings): FileResult<Recording> {
  const { files, clock, directory } = settings;
  const made = await files.makeDirectory(directory, { private: true });
  if (!made.ok) return made;
  const opened = await claim(files, directory);
  if (!opened.ok) return opened;
  const { path, handle } = opened.value;
  const recording = new OpenRecording(settings, path, handle);
  await recording.write(recordingLine(clock.now()));
  return ok(recording);
}

/** A file of its own, so that processes that record together do not tear each other's lines. */
async function claim(
  files: Files,
  directory: string,
): FileResult<{ readonly path: string; readonly handle: FileHandle }> {
  for (let n = 1; n <= recordingsMax; n++) {
    const path = join(directory, `traffic-${String(n).padStart(4, "0")}.jsonl`);
    const handle = await files.open(path, "create", { private: true });
    if (handle.ok) return ok({ path, handle: handle.value });
    if (handle.error.code !== "exists") return handle;
  }
  const message = `the directory has ${recordingsMax} recordings already`;
  return err({ kind: "file", code: "exists", path: directory, message });
}

class OpenRecording implements Recording {
  readonly clock: Clock;
  readonly neutral: Neutral["neutral"];
  private readonly settings: RecordingSettings;
  private readonly path: string;
  private readonly handle: FileHandle;
  private readonly seen = new Set<string>();
  private last: Promise<void> = Promise.resolve();
  private requests = 0;
  private bytes = 0;
  private ended = false;

  constructor(settings: RecordingSettings, path: string, handle: FileHandle) {
    this.clock = settings.clock;
    this.neutral = neutralText(settings).neutral;
    this.settings = settings;
    this.path = path;
    this.handle = handle;
  }

  nextId(): number {
    this.requests++;
    return this.requests;
  }

  isNew(digest: string): boolean {
    if (this.seen.has(digest)) return false;
    this.seen.add(digest);
    return true;
  }

  write(line: unknown): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`, "utf8");
    this.last = this.last.then(() => this.append(bytes));
    return this.last;
  }

  async close(): FileResult<void> {
    await this.last;
    this.ended = true;
    const synced = await this.handle.sync();
    const closed = await this.handle.close();
    return synced.ok ? closed : synced;
  }

  private async append(bytes: Uint8Array): Promise<void> {
    if (this.ended || bytes.byteLength > lineBytesMax) return;
    this.bytes += bytes.byteLength;
    if (this.bytes > recordingBytesMax) {
      const message = `the recording has reached ${recordingBytesMax} bytes`;
      return this.fail({ kind: "file", code: "too-large", path: this.path, message });
    }
    const appended = await this.handle.append([bytes]);
    if (!appended.ok) this.fail(appended.error);
  }

  private fail(error: FileError): void {
    this.ended = true;
    this.settings.onFailure(error);
  }
}
