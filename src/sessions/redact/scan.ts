// A text that is looked at from left to right, with every character that is looked at counted: no regular expression, since one that tries
// again from each character takes hours for a megabyte that was written for it. Invariant: who looks counts.

export type Characters = (code: number) => boolean;

/** Part of a text, in UTF-16 units; `end` is the first one behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export class Scan {
  readonly text: string;
  /** Characters that were looked at, each as often as it was. */
  steps = 0;

  constructor(text: string) {
    this.text = text;
  }

  get length(): number {
    return this.text.length;
  }

  /** NaN outside the text. */
  code(at: number): number {
    this.steps += 1;
    return this.text.charCodeAt(at);
  }

  char(at: number): string {
    this.steps += 1;
    return this.text[at] ?? "";
  }

  /** The end of the run of such characters that begins at `from`. */
  runEnd(from: number, is: Characters, charsMax = Number.POSITIVE_INFINITY): number {
    const until = Math.min(this.length, from + charsMax);
    let at = from;
    while (at < until && is(this.text.charCodeAt(at))) at += 1;
    this.steps += at - from + 1;
    return at;
  }

  /** The start of the run of such characters that ends before `to`. */
  runStart(to: number, is: Characters, charsMax = Number.POSITIVE_INFINITY): number {
    const until = Math.max(0, to - charsMax);
    let at = to;
    while (at > until && is(this.text.charCodeAt(at - 1))) at -= 1;
    this.steps += to - at + 1;
    return at;
  }

  /**
   * The whole runs of such characters, in order, as far as they have `charsMin` of them. Where a run of that length would end is looked at first,
   * and from there back: of a text without one most characters are not looked at, and none more than twice.
   */
  *runs(is: Characters, charsMin = 1): Generator<Span> {
    const { text, length } = this;
    for (let at = 0; at + charsMin <= length; ) {
      let before = at + charsMin - 1;
      while (before >= at && is(text.charCodeAt(before))) before -= 1;
      this.steps += at + charsMin - before;
      if (before >= at) {
        at = before + 1;
        continue;
      }
      const end = this.runEnd(at + charsMin, is);
      yield { start: at, end };
      at = end + 1;
    }
  }

  /** -1 where it stands nowhere from there on. */
  find(needle: string, from: number): number {
    const at = this.text.indexOf(needle, from);
    this.steps += (at < 0 ? this.length : at) - Math.min(from, this.length) + needle.length;
    return at;
  }

  startsWith(needle: string, at: number): boolean {
    this.steps += needle.length;
    return this.text.startsWith(needle, at);
  }

  slice({ start, end }: Span): string {
    this.steps += Math.max(0, end - start);
    return this.text.slice(start, end);
  }
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

export function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isAlphanumeric(code: number): boolean {
  return isLower(code) || isDigit(code) || isUpper(code);
}

export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

export function isSpace(code: number): boolean {
  return isBlank(code) || code === 10 || code === 13 || code === 11 || code === 12 || code === 0xa0;
}

/** Letters and digits, and these, of ASCII. */
export function alphanumericOr(others: string): Characters {
  const isOther = isOneOf(others);
  // Most characters of a text are asked about several times.
  const table = Uint8Array.from({ length: 128 }, (_, code) => (isAlphanumeric(code) || isOther(code) ? 1 : 0));
  return (code) => table[code] === 1;
}

export function isOneOf(chars: string): Characters {
  const codes = new Set([...chars].map((char) => char.charCodeAt(0)));
  return (code) => codes.has(code);
}
