// What a host contract suite is given: a fresh host, an empty directory on it, and a way to drive its time.

import { afterEach, beforeEach } from "vitest";
import type { Host } from "../../host/host.ts";

export interface HostUnderTest {
  readonly host: Host;
  /** An empty directory, absolute. */
  readonly directory: string;
  /** Lets the host's time pass until `work` settles. */
  run<T>(work: Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

export type MakeHost = () => Promise<HostUnderTest>;

/** A new host for every test of the surrounding `describe`; read its fields only inside a test. */
export function freshHost(make: MakeHost): () => HostUnderTest {
  let current: HostUnderTest;
  beforeEach(async () => {
    current = await make();
  });
  afterEach(() => current.dispose());
  return () => current;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const text = (data: Uint8Array): string => new TextDecoder().decode(data);

export async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
}

/** A pattern in which every misplaced or lost byte shows: a 32-bit counter, little endian. */
export function pattern(length: number): Uint8Array {
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, (_, index) => index);
  return new Uint8Array(words.buffer, 0, length);
}
