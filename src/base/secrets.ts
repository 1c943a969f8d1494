// Takes known keys out of text and bytes before anybody sees or keeps them. Invariant: what is too short to be a key stays, since it would be
// removed where it is a word.

const secretCharsMin = 8;
const REMOVED = "[key removed]";

export function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  return keysAmong(secrets).reduce((left, secret) => left.replaceAll(secret, REMOVED), text);
}

export function bytesWithoutSecrets(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  const filter = new SecretFilter(secrets);
  return Buffer.concat([filter.take(bytes), filter.end()]);
}

/** Each secret as it is, as JSON writes it, and percent-encoded: the forms in which records and addresses hold one. */
export function writtenForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), percentEncoded(secret)]);
  return [...new Set(forms)];
}

/** Half a surrogate pair has no such form. */
function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
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
