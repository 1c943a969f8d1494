// The file of a sealed segment's blobs: blocks of them, each compressed on its own, then a directory that says which blob
// is where, then a trailer that finds the directory. Written once and never changed.

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { Packr } from "msgpackr";
import { assert } from "../../base/assert.ts";
import { asBlobId, type BlobId } from "../../base/ids.ts";
import { bytes, list, natural, object, type Parsed, parse } from "../../base/parse.ts";
import type { SegmentExtent } from "./segment.ts";
import type { Cursor } from "./walk.ts";

//   Header   0 magic "SKEINBLB"   8 version u32   12 segment u32   16 edition u32   20 zero   32 log id, 16 characters
//            48 zero   60 CRC-32 of bytes 0..60
//   Trailer  0 directory's length u32   4 its CRC-32   8 magic "SKEINEND"          (little-endian)

const MAGIC = Buffer.from("SKEINBLB", "latin1");
const END_MAGIC = Buffer.from("SKEINEND", "latin1");
const VERSION = 1;
export const sealedHeaderBytes = 64;
export const sealedTrailerBytes = 16;

/** Blobs are gathered into blocks of about this size: small ones compress better together, and one read costs a block. */
export const blockBytesGoal = 128 * 1024;
/** What is smaller gains nothing. */
const compressBytesMin = 512;
/** What is larger stands alone and as it is: compressing it at once would hold up the writer. */
const compressBytesMax = 4 * 1024 * 1024;
/** zstd's fastest regular level: sealing runs beside commits. */
const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const blobsMax = 64 * 1024 * 1024;
const tableBytesMax = 512 * 1024 * 1024;
const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });
const table = bytes(tableBytesMax);
const cursor = list(natural(), 3);
const blobTable = object({ ids: table, offsets: table, lengths: table });
const directoryParser = object({
  marks: list(cursor, blobsMax),
  end: cursor,
  /** Five numbers a block: place in the file, stored length, place and length before compression, CRC-32 as stored. */
  blocks: table,
  sha1: blobTable,
  sha256: blobTable,
});

export interface SealedIdentity {
  readonly logId: string;
  readonly segment: number;
  readonly edition: number;
}

export interface SealedBlob {
  readonly id: BlobId;
  /** Among all blobs of the file before compression. */
  readonly offset: number;
  readonly length: number;
}

export interface Block {
  readonly fileOffset: number;
  readonly storedBytes: number;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

export interface SealedDirectory {
  /** Of the file with the records. */
  readonly extent: SegmentExtent;
  readonly blocks: readonly Block[];
  readonly blobs: readonly SealedBlob[];
}

export interface StoredDirectory extends SealedDirectory {
  /** Of the directory itself in its file. */
  readonly bytes: number;
}

export function encodeSealedHeader({ logId, segment, edition }: SealedIdentity): Buffer {
  const header = Buffer.alloc(sealedHeaderBytes);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.writeUInt32LE(segment, 12);
  header.writeUInt32LE(edition, 16);
  header.write(logId, 32, "latin1");
  header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
  return header;
}

/** Null where the bytes are that header; else what is wrong. */
export function sealedHeaderProblem(header: Buffer, expected: SealedIdentity): string | null {
  if (header.length < sealedHeaderBytes) return "the file ends inside its header";
  const version = header.readUInt32LE(8);
  if (header.equals(encodeSealedHeader(expected))) return null;
  if (header.subarray(0, 8).equals(MAGIC) && version > VERSION) return `format version ${version} is newer`;
  return "the file's header is not the one that belongs there";
}

/** Stored as it is where that is shorter, and where the bytes are too many. */
export function encodeBlock(
  raw: Buffer,
  fileOffset: number,
  offset: number,
): { readonly stored: Buffer; readonly block: Block } {
  const packed = raw.length < compressBytesMin || raw.length > compressBytesMax ? raw : zstdCompressSync(raw, zstd);
  const stored = packed.length < raw.length ? packed : raw;
  const block = { fileOffset, storedBytes: stored.length, offset, length: raw.length, checksum: crc32(stored) };
  return { stored, block };
}

/** The block's blobs one after another; null where the bytes are not what was stored. */
export function decodeBlock(stored: Uint8Array, block: Block): Buffer | null {
  if (stored.length !== block.storedBytes || crc32(stored) !== block.checksum) return null;
  const raw = stored.length === block.length ? Buffer.from(stored) : decompressed(stored, block.length);
  return raw?.length === block.length ? raw : null;
}

export function encodeDirectory({ extent, blocks, blobs }: SealedDirectory): Buffer {
  const body = packr.pack({
    marks: extent.marks.map(numbersOf),
    end: numbersOf(extent.end),
    blocks: u32s(blocks.flatMap((b) => [b.fileOffset, b.storedBytes, b.offset, b.length, b.checksum])),
    sha1: tableOf(blobs.filter(({ id }) => id.length === 40)),
    sha256: tableOf(blobs.filter(({ id }) => id.length === 64)),
  });
  const trailer = Buffer.alloc(sealedTrailerBytes);
  trailer.writeUInt32LE(body.length, 0);
  trailer.writeUInt32LE(crc32(body), 4);
  END_MAGIC.copy(trailer, 8);
  return Buffer.concat([body, trailer]);
}

/** The length of the directory that ends where this trailer begins; null if it is none. */
export function directoryBytes(trailer: Buffer): number | null {
  if (trailer.length !== sealedTrailerBytes || !trailer.subarray(8).equals(END_MAGIC)) return null;
  return trailer.readUInt32LE(0);
}

export function decodeDirectory(body: Buffer, trailer: Buffer): SealedDirectory | null {
  if (crc32(body) !== trailer.readUInt32LE(4)) return null;
  const parsed = parse(directoryParser, packr.unpack(body), "directory");
  if (!parsed.ok) return null;
  const { marks, end, blocks, sha1, sha256 } = parsed.value;
  const blobs = [...blobsOf(sha1, 20), ...blobsOf(sha256, 32)];
  return {
    extent: { marks: marks.map(cursorOf), end: cursorOf(end) },
    blocks: blocksOf(blocks),
    blobs: blobs.sort((a, b) => a.offset - b.offset),
  };
}

function decompressed(stored: Uint8Array, length: number): Buffer | null {
  try {
    return zstdDecompressSync(stored, { maxOutputLength: Math.max(1, length) });
  } catch {
    return null;
  }
}

function numbersOf({ offset, sequence, position }: Cursor): readonly number[] {
  return [offset, sequence, position];
}

function cursorOf([offset, sequence, position]: readonly number[]): Cursor {
  assert(offset !== undefined && sequence !== undefined && position !== undefined, "a cursor has three numbers");
  return { offset, sequence, position };
}

function u32s(numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) buffer.writeUInt32LE(number, index * 4);
  return buffer;
}

function tableOf(blobs: readonly SealedBlob[]) {
  return {
    ids: Buffer.from(blobs.map(({ id }) => id).join(""), "hex"),
    offsets: u32s(blobs.map(({ offset }) => offset)),
    lengths: u32s(blobs.map(({ length }) => length)),
  };
}

function* blobsOf({ ids, offsets, lengths }: Parsed<typeof blobTable>, idBytes: number): Generator<SealedBlob> {
  const [id, offset, length] = [ids, offsets, lengths].map((part) => Buffer.from(part));
  assert(id !== undefined && offset !== undefined && length !== undefined, "a table has three columns");
  for (let row = 0; row < id.length / idBytes; row += 1) {
    yield {
      id: asBlobId(id.toString("hex", row * idBytes, (row + 1) * idBytes)),
      offset: offset.readUInt32LE(row * 4),
      length: length.readUInt32LE(row * 4),
    };
  }
}

function blocksOf(part: Uint8Array): readonly Block[] {
  const numbers = Buffer.from(part);
  const blocks: Block[] = [];
  for (let at = 0; at < numbers.length; at += 20) {
    blocks.push({
      fileOffset: numbers.readUInt32LE(at),
      storedBytes: numbers.readUInt32LE(at + 4),
      offset: numbers.readUInt32LE(at + 8),
      length: numbers.readUInt32LE(at + 12),
      checksum: numbers.readUInt32LE(at + 16),
    });
  }
  return blocks;
}
