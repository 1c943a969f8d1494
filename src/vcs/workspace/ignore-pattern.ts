// One line of a .gitignore file, matched as git's dir.c and wildmatch.c do. Everything is bytes, held as latin1 text: `?` is one
// byte. Invariant: matching takes time of pattern times path, whatever an agent wrote into the file.

export interface IgnorePattern {
  readonly negative: boolean;
  /** Written with a trailing slash: only for directories. */
  readonly directoryOnly: boolean;
  /** `path` is relative to the ignore file's directory, without a trailing slash. */
  matches(path: string): boolean;
}

/** null for blank lines and comments. */
export function parseIgnoreLine(rawLine: string): IgnorePattern | null {
  const line = trimTrailingSpaces(rawLine);
  if (line === "" || line.startsWith("#")) return null;
  const negative = line.startsWith("!");
  const unsigned = negative ? line.slice(1) : line;
  const directoryOnly = unsigned.endsWith("/");
  const pattern = directoryOnly ? unsigned.slice(0, -1) : unsigned;
  const matches = pattern.includes("/") ? pathMatcher(pattern) : nameMatcher(pattern);
  return { negative, directoryOnly, matches };
}

/** A pattern without a slash is about the last part of the path, at any depth. */
function nameMatcher(pattern: string): (path: string) => boolean {
  const test = wildMatcher(pattern, false);
  return (path) => test(path.slice(path.lastIndexOf("/") + 1));
}

function pathMatcher(pattern: string): (path: string) => boolean {
  const anchored = pattern.startsWith("/") ? pattern.slice(1) : pattern;
  // Git compares the part before the first special character first and lets the rest match on its own, so that `**` there
  // counts as standing at the start.
  const plain = /^[^*?[\\]*/.exec(anchored)?.[0] ?? "";
  const test = wildMatcher(anchored.slice(plain.length), true);
  return (path) => path.startsWith(plain) && test(path.slice(plain.length));
}

type Token =
  | { readonly kind: "byte"; readonly matches: (byte: string) => boolean }
  /** Any run of bytes. */
  | { readonly kind: "run"; readonly crossesSlash: boolean }
  /** The start of `**` + `/`: what follows up to the slash may also be left out. */
  | { readonly kind: "optional"; readonly tokens: number };

function wildMatcher(pattern: string, slashesCount: boolean): (text: string) => boolean {
  if (!/[*?[\\]/.test(pattern)) return (text) => text === pattern;
  const suffix = /^\*([^*?[\\]*)$/.exec(pattern)?.[1];
  if (suffix !== undefined && !slashesCount) return (text) => text.endsWith(suffix);
  const tokens = tokenize(pattern, slashesCount);
  if (tokens === null) return () => false;
  return (text) => simulate(tokens, text);
}

/** null: the pattern is malformed and matches nothing. */
function tokenize(pattern: string, slashesCount: boolean): readonly Token[] | null {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const byte = pattern[at]!;
    if (byte === "*") {
      let end = at;
      while (pattern[end] === "*") end += 1;
      tokens.push(...starTokens(pattern, at, end, slashesCount));
      at = end;
    } else if (byte === "?") {
      tokens.push({ kind: "byte", matches: (other) => !slashesCount || other !== "/" });
      at += 1;
    } else if (byte === "[") {
      const group = bracket(pattern, at + 1);
      if (group === null) return null;
      const { test } = group;
      tokens.push({ kind: "byte", matches: (other) => test(other) && !(slashesCount && other === "/") });
      at = group.end;
    } else {
      if (byte === "\\") at += 1;
      const literal = pattern[at];
      if (literal === undefined) return null;
      tokens.push({ kind: "byte", matches: (other) => other === literal });
      at += 1;
    }
  }
  return tokens;
}

function starTokens(pattern: string, start: number, end: number, slashesCount: boolean): readonly Token[] {
  const whole =
    end - start > 1 &&
    (start === 0 || pattern[start - 1] === "/") &&
    (end === pattern.length || pattern[end] === "/" || pattern.startsWith("\\/", end));
  const run: Token = { kind: "run", crossesSlash: !slashesCount || whole };
  // Leaving out covers the run and the slash after it: `a/**/b` matches `a/b`.
  return whole && slashesCount && pattern[end] === "/" ? [{ kind: "optional", tokens: 2 }, run] : [run];
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[\x21-\x7e]/,
  lower: /[a-z]/,
  print: /[\x20-\x7e]/,
  punct: /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** A `[…]` group from after its bracket; null where it is not closed or names an unknown class. */
function bracket(
  pattern: string,
  start: number,
): { readonly test: (byte: string) => boolean; readonly end: number } | null {
  const negated = pattern[start] === "!" || pattern[start] === "^";
  const tests: ((byte: string) => boolean)[] = [];
  let at = negated ? start + 1 : start;
  let previous = "";
  for (let first = true; first || pattern[at] !== "]"; first = false) {
    let byte = pattern[at];
    if (byte === undefined) return null;
    const next = pattern[at + 1];
    if (byte === "-" && previous !== "" && next !== undefined && next !== "]") {
      at += next === "\\" ? 2 : 1;
      const low = previous;
      const high = pattern[at];
      if (high === undefined) return null;
      tests.push((other) => other >= low && other <= high);
      previous = "";
    } else if (byte === "[" && next === ":") {
      const close = pattern.indexOf("]", at + 2);
      if (close === -1) return null;
      if (pattern[close - 1] === ":" && close - 1 >= at + 2) {
        const named = namedClasses[pattern.slice(at + 2, close - 1)];
        if (named === undefined) return null;
        tests.push((other) => named.test(other));
        previous = "";
        at = close;
      } else {
        tests.push((other) => other === "[");
        previous = "[";
      }
    } else {
      if (byte === "\\") {
        at += 1;
        byte = pattern[at];
        if (byte === undefined) return null;
      }
      const literal = byte;
      tests.push((other) => other === literal);
      previous = literal;
    }
    at += 1;
  }
  return { test: (byte) => tests.some((test) => test(byte)) !== negated, end: at + 1 };
}

/** Walks all possible places in the pattern at once, byte by byte. */
function simulate(tokens: readonly Token[], text: string): boolean {
  let places = new Set<number>();
  enter(tokens, 0, places);
  for (const byte of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token?.kind === "byte" && token.matches(byte)) enter(tokens, place + 1, next);
      else if (token?.kind === "run" && (token.crossesSlash || byte !== "/")) enter(tokens, place, next);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(tokens.length);
}

/** Adds a place and those that are reached from it without a byte. */
function enter(tokens: readonly Token[], place: number, places: Set<number>): void {
  if (places.has(place)) return;
  places.add(place);
  const token = tokens[place];
  if (token?.kind === "run") enter(tokens, place + 1, places);
  if (token?.kind === "optional") {
    enter(tokens, place + 1, places);
    enter(tokens, place + 1 + token.tokens, places);
  }
}

/** Spaces at the end do not count unless the last is escaped. */
function trimTrailingSpaces(line: string): string {
  let kept = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === " ") continue;
    kept = at + 1;
  }
  return line.slice(0, kept);
}
