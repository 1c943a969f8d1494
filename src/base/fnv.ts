// A short name for a long text: the 64-bit FNV-1a hash, for names of files and never against somebody who looks for collisions.
// A hook computes one at each start, and loading a cryptographic library would cost it more milliseconds than all its work.
// Algorithm and constants: Fowler, Noll, Vo (draft-eastlake-fnv).

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

/** 16 lower-case hexadecimal digits, of the text's UTF-8 bytes. */
export function fnv64(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  return hash.toString(16).padStart(16, "0");
}
