// Takes lines and exact byte counts from a stream of chunks, copying each byte once.

export interface ByteReader {
  /** The next line without its newline (latin1), or null where the stream ends first or the line passes `bytesMax`. */
  line(bytesMax: number): Promise<string | null>;
  /** Exactly `count` bytes of their own buffer, or null where the stream ends first. */
  bytes(count: number): Promise<Uint8Array | null>;
}

export function byteReader(stream: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = stream[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array(0);
  return { line, bytes };

  async function fill(): Promise<boolean> {
    while (chunk.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return false;
      chunk = next.value;
    }
    return true;
  }

  async function line(bytesMax: number): Promise<string | null> {
    let text = "";
    while (text.length <= bytesMax && (await fill())) {
      const end = chunk.indexOf(0x0a);
      const part = end === -1 ? chunk : chunk.subarray(0, end);
      text += Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1");
      chunk = chunk.subarray(end === -1 ? chunk.length : end + 1);
      if (end !== -1) return text;
    }
    return null;
  }

  async function bytes(count: number): Promise<Uint8Array | null> {
    const result = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (!(await fill())) return null;
      const part = chunk.subarray(0, count - filled);
      result.set(part, filled);
      filled += part.length;
      chunk = chunk.subarray(part.length);
    }
    return result;
  }
}
