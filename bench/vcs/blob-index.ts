// What the log's index of blobs costs a blob: bytes of memory, and time to add and to find. `node bench/vcs/blob-index.ts [count]`

import { createHash } from "node:crypto";
import { asBlobId } from "../../src/base/ids.ts";
import { BlobIndex } from "../../src/log/segments/blob-index.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const index = new BlobIndex();
const idOf = (number: number) => asBlobId(createHash("sha1").update(String(number)).digest("hex"));

const before = process.memoryUsage();
const started = performance.now();
for (let number = 0; number < count; number += 1) {
  index.add(idOf(number), { segment: number >>> 16, offset: number % 2 ** 26, length: 4096 });
}
const added = performance.now();
let found = 0;
for (let number = 0; number < count; number += 1) if (index.has(idOf(number))) found += 1;
const ended = performance.now();
const after = process.memoryUsage();
const bytes = after.arrayBuffers - before.arrayBuffers;
console.log({
  blobs: count,
  found,
  bytesABlob: Math.round(bytes / count),
  addedUs: ((added - started) / count) * 1_000,
  foundUs: ((ended - added) / count) * 1_000,
});
