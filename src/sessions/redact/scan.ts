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

  /** The whole runs of such characters, in order. */
  *runs(is: Characters): Generator<Span> {
    for (let at = 0; at < this.length; ) {
      const start = this.runEnd(at, (code) => !is(code));
      const end = this.runEnd(start, is);
      if (end > start) yield { start, end };
      at = Math.max(end, at + 1);
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

/** Letters and digits, and these. */
export function alphanumericOr(others: string): Characters {
  const isOther = isOneOf(others);
  return (code) => isAlphanumeric(code) || isOther(code);
}

export function isOneOf(chars: string): Characters {
  const codes = new Set([...chars].map((char) => char.charCodeAt(0)));
  return (code) => codes.has(code);
}
