// A checkpoint's file: a header, then parts of several sections, each part with its checksum, then a part that says how many
// there are. Nothing of a file counts unless all of it is right. Section 0 is the log's own, the others are folds.

import { crc32 } from "node:zlib";
import type { FileHandle } from "../../host/files.ts";
import { framePayloadBytesMax } from "../limits.ts";
import { ByteWindow } from "./byte-window.ts";

//   Header   0 magic "SKEINCHK"   8 version u32   16 position u64   24 zero   32 log id, 16 characters   60 CRC-32
//   Part     0 section u32   4 length u32   8 CRC-32 of bytes 0..8 and what follows   12 bytes          (little-endian)
//   The last part has the section `endSection` and the number of parts before it as u32.

const MAGIC = Buffer.from("SKEINCHK", "latin1");
const VERSION = 1;
export const checkpointHeaderBytes = 64;
const partHeaderBytes = 12;
const endSection = 0xffff_ffff;
const windowBytes = 1024 * 1024;

export interface CheckpointHeader {
  readonly logId: string;
  readonly position: number;
}

export function encodeCheckpointHeader({ logId, position }: CheckpointHeader): Buffer {
  const header = Buffer.alloc(checkpointHeaderBytes);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.writeBigUInt64LE(BigInt(position), 16);
  header.write(logId, 32, "latin1");
  header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
  return header;
}

export function decodeCheckpointHeader(header: Buffer): CheckpointHeader | string {
  if (header.length < checkpointHeaderBytes) return "the file ends inside its header";
  if (!header.subarray(0, 8).equals(MAGIC) || crc32(header.subarray(0, 60)) !== header.readUInt32LE(60)) {
    return "the header does not match its checksum";
  }
  const version = header.readUInt32LE(8);
  if (version !== VERSION) return `format version ${version} is not the one of this program`;
  return { logId: header.toString("latin1", 32, 48), position: Number(header.readBigUInt64LE(16)) };
}

export function encodePartHeader(section: number, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(partHeaderBytes);
  header.writeUInt32LE(section, 0);
  header.writeUInt32LE(bytes.length, 4);
  header.writeUInt32LE(crc32(bytes, crc32(header.subarray(0, 8))), 8);
  return header;
}

export function encodeEnd(parts: number): readonly Buffer[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(parts);
  return [encodePartHeader(endSection, bytes), bytes];
}

export type PartEvent =
  | { readonly kind: "part"; readonly section: number; readonly bytes: Buffer; readonly offset: number }
  /** All parts were there, and nothing after them. */
  | { readonly kind: "end" }
  | { readonly kind: "bad"; readonly reason: string };

/** The file's parts from `from` on, then one event of another kind. Views into a window: copy what is kept. */
export async function* walkParts(handle: FileHandle, size: number, from: number): AsyncGenerator<PartEvent> {
  const window = new ByteWindow(handle, size, windowBytes);
  let count = 0;
  for (let at = from; ; ) {
    const header = await load(window, at, partHeaderBytes);
    if (header === null) return yield bad(at, "the file ends too early");
    const [section, length] = [header.readUInt32LE(0), header.readUInt32LE(4)];
    if (length > framePayloadBytesMax) return yield bad(at, "a part is too long");
    const bytes = await load(window, at + partHeaderBytes, length);
    if (bytes === null) return yield bad(at, "the file ends too early");
    if (crc32(bytes, crc32(header.subarray(0, 8))) !== header.readUInt32LE(8)) {
      return yield bad(at, "a part does not match its checksum");
    }
    const next = at + partHeaderBytes + length;
    if (section === endSection) {
      const isWhole = from !== checkpointHeaderBytes || (length === 4 && bytes.readUInt32LE(0) === count);
      return yield next === size && isWhole ? { kind: "end" } : bad(at, "its parts are not all there");
    }
    yield { kind: "part", section, bytes, offset: at };
    count += 1;
    at = next;
  }
}

function bad(at: number, reason: string): PartEvent {
  return { kind: "bad", reason: `${reason}, at byte ${at}` };
}

async function load(window: ByteWindow, offset: number, length: number): Promise<Buffer | null> {
  const there = window.peek(offset, length);
  if (there !== null) return there;
  const loaded = await window.load(offset, length);
  return loaded.ok ? window.peek(offset, length) : null;
}
