// Runs programs of one file from their compiled form as it was when such a run ended: with the functions that were called, where Node's own
// cache has those of a program's loading alone. Invariant: they run all the same where nothing is kept, or what is kept is damaged.

// Node's own modules by name: as in keep-compiled.ts.

/** Each new kind costs one run the writing of all. */
const TAKEN_MAX = 40;

export interface KeptPrograms {
  /** Where they lie: absolute. Each is a comment with a hash and one function around the whole of a CommonJS file, as Node would put it. */
  readonly directory: string;
  /** The directory where forms are kept; null where none can be. */
  readonly place: string | null;
  /** For what is not beside them. */
  readonly require: (id: string) => unknown;
  /** Names as `./<name>.cjs` of what a program loads beside it in the same way. They have the same hash. */
  readonly part?: RegExp;
  /** What the run has in common with others, as `search`: a word without spaces and commas. Asked when it has ended well; null: nothing is taken. */
  readonly kindOf: (name: string, exported: unknown) => string | null;
  /** Of how many bytes four are in the checksum: 256 finds what a crash takes from a file, 4 whatever else, in a millisecond for 100 KB. */
  readonly checkedEvery: 4 | 256;
  /** From so many runs of a kind, one after the other: a first one may have done what later ones need not, as making an index. */
  readonly takenOfKind: number;
}

interface Loaded {
  readonly exported: unknown;
  readonly script: import("node:vm").Script;
  readonly file: string;
  readonly kinds: readonly string[];
}

interface Kept {
  readonly kinds: readonly string[];
  readonly data: Buffer;
}

/** Runs the program of that name; what it exports. */
export function runKept(name: string, programs: KeptPrograms): unknown {
  const { directory, place, require, part, kindOf, takenOfKind, checkedEvery } = programs;
  const { join } = process.getBuiltinModule("node:path");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { Script } = process.getBuiltinModule("node:vm");
  const loaded = new Map<string, Loaded>();
  let stamp: string | undefined;
  const load = (one: string): unknown => {
    const known = loaded.get(one);
    if (known !== undefined) return known.exported;
    const path = join(directory, `${one}.cjs`);
    const source = readFileSync(path, "utf8");
    const own = /^\/\/ ([0-9a-f]{64})\n/.exec(source)?.[1];
    if (own === undefined) throw new Error(`${path} has not the form that the build gives it`);
    if ((stamp ?? own) !== own) throw new Error("Skein was replaced while this began: the next time it is whole");
    stamp = own;
    const file = join(place ?? "", `${one}-${process.version}-${process.arch}`);
    const kept = place === null ? null : readKept(file, own, checkedEvery);
    const script = new Script(source, { filename: path, ...(kept === null ? {} : { cachedData: kept.data }) });
    const module: { exports: unknown } = { exports: {} };
    script.runInThisContext()(module.exports, requireOf, module, path, directory);
    const kinds = kept === null || script.cachedDataRejected === true ? [] : kept.kinds;
    loaded.set(one, { exported: module.exports, script, file, kinds });
    return module.exports;
  };
  const requireOf = (id: string): unknown => (part?.test(id) === true ? load(id.slice(2, -4)) : require(id));
  if (place !== null)
    process.on("exit", (code) => {
      if (code === 0)
        for (const [one, { exported, ...taken }] of loaded)
          take(taken, kindOf(one, exported), { stamp, takenOfKind, checkedEvery });
    });
  return load(name);
}

interface Taking extends Pick<KeptPrograms, "takenOfKind" | "checkedEvery"> {
  readonly stamp: string | undefined;
}

function take(
  { script, file, kinds }: Omit<Loaded, "exported">,
  kind: string | null,
  { stamp, takenOfKind, checkedEvery }: Taking,
): void {
  if (kind === null || kinds.length >= TAKEN_MAX || kinds.filter((one) => one === kind).length >= takenOfKind) return;
  try {
    writeKept(file, { stamp, kinds: [...kinds, kind], data: script.createCachedData() }, checkedEvery);
  } catch {
    // It is compiled again the next time.
  }
}

/**
 * One line of text comes before V8's data: the program's stamp, its length, a checksum, the kinds, and spaces up to a multiple of eight, so that V8
 * need not copy. V8 refuses the data of another V8 and crashes on damaged data.
 */
function readKept(file: string, stamp: string, checkedEvery: number): Kept | null {
  try {
    const bytes = process.getBuiltinModule("node:fs").readFileSync(file);
    const end = bytes.indexOf(10) + 1;
    const [own, length, sum, kinds = ""] = bytes.toString("latin1", 0, end).trim().split(" ");
    const data = bytes.subarray(end);
    if (own !== stamp || Number(length) !== data.length || Number(sum) !== checksum(data, checkedEvery)) return null;
    return { kinds: kinds.split(","), data };
  } catch {
    return null;
  }
}

function writeKept(
  file: string,
  { stamp, kinds, data }: Kept & { readonly stamp: string | undefined },
  checkedEvery: number,
): void {
  const { renameSync, unlinkSync, writeFileSync } = process.getBuiltinModule("node:fs");
  const header = `${stamp} ${data.length} ${checksum(data, checkedEvery)} ${kinds.join(",")}`;
  const line = `${header}${" ".repeat(7 - (header.length % 8))}\n`;
  const temporary = `${file}.${process.pid}-${process.hrtime.bigint()}`;
  try {
    writeFileSync(temporary, Buffer.concat([Buffer.from(line, "latin1"), data]), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    unlinkSync(temporary);
  }
}

/** FNV-1a over words of 32 bits. To have the form twice and compare costs more: what is read is memory that is touched. */
function checksum(data: Buffer, every: number): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at + 4 <= data.length; at += every) sum = Math.imul(sum ^ data.readInt32LE(at), 0x01000193);
  return sum >>> 0;
}
