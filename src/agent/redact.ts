// Keeps the keys this program was given out of what its agents see and its transcripts keep: a command may find one in a process's
// environment, and would hand it to the model.

import type { Tool } from "./tool.ts";

/** A shorter text is no key, and would be removed where it is a word. */
const secretCharsMin = 8;
const REMOVED = "[key removed]";

/** The same tools, whose answers hold none of the secrets. */
export function withoutSecrets(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  const known = keysAmong(secrets);
  if (known.length === 0) return tools;
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) => {
      const answer = await tool.run(input, context);
      return { ...answer, text: known.reduce((text, secret) => text.replaceAll(secret, REMOVED), answer.text) };
    },
  }));
}

/** Longer ones first: one may be the beginning of another. */
function keysAmong(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret.length >= secretCharsMin).sort((a, b) => b.length - a.length);
}

/** The same for bytes that come in pieces: what may be the beginning of a secret is held back until the next piece tells. */
export class SecretFilter {
  readonly #secrets: readonly Buffer[];
  readonly #heldBytesMax: number;
  #held: Buffer = Buffer.alloc(0);

  constructor(secrets: readonly string[]) {
    this.#secrets = keysAmong(secrets).map((secret) => Buffer.from(secret, "utf8"));
    this.#heldBytesMax = Math.max(0, ...this.#secrets.map((secret) => secret.length - 1));
  }

  /** What can be told so far; the bytes are the caller's own or the piece itself. */
  take(piece: Uint8Array): Uint8Array {
    if (this.#secrets.length === 0) return piece;
    const bytes = Buffer.concat([this.#held, piece]);
    return this.#clean(bytes, Math.max(0, bytes.length - this.#heldBytesMax));
  }

  /** The rest. */
  end(): Uint8Array {
    return this.#clean(this.#held, this.#held.length);
  }

  /** Takes out every secret that begins before `until`; a later one may not be whole, or be the end of a longer one. */
  #clean(bytes: Buffer, until: number): Buffer {
    const parts: Uint8Array[] = [];
    let at = 0;
    for (;;) {
      const found = this.#firstIn(bytes, at, until);
      if (found === null) break;
      parts.push(bytes.subarray(at, found.at), Buffer.from(REMOVED));
      at = found.at + found.length;
    }
    const end = Math.max(at, until);
    parts.push(bytes.subarray(at, end));
    this.#held = Buffer.from(bytes.subarray(end));
    return Buffer.concat(parts);
  }

  #firstIn(bytes: Buffer, from: number, until: number): { readonly at: number; readonly length: number } | null {
    let first: { readonly at: number; readonly length: number } | null = null;
    for (const secret of this.#secrets) {
      const at = bytes.indexOf(secret, from);
      if (at !== -1 && at < until && (first === null || at < first.at)) first = { at, length: secret.length };
    }
    return first;
  }
}
