// The flags of `skein memory show` and `search`. Imports nothing: the first file that is loaded asks it which way to go.

export interface MemoryFlags {
  readonly command: "show" | "search";
  /** What is looked for; empty for `show`. */
  readonly query: string;
  readonly json: boolean;
  /** Of every repository. */
  readonly all: boolean;
  readonly repo: string;
  /** Null: the one that is checked out. */
  readonly branch: string | null;
}

export const noMemoryFlags: Omit<MemoryFlags, "command"> = {
  query: "",
  json: false,
  all: false,
  repo: ".",
  branch: null,
};

/** The flags of `skein memory <args>` where they are the plain ones; null where the whole command line has to read them, or to refuse them. */
export function plainMemory([command, ...args]: readonly string[]): MemoryFlags | null {
  if (command !== "show" && command !== "search") return null;
  let flags: MemoryFlags = { ...noMemoryFlags, command };
  const words: string[] = [];
  for (const arg of args) {
    if (arg === "--json") flags = { ...flags, json: true };
    else if (/^--repo=./.test(arg)) flags = { ...flags, repo: arg.slice("--repo=".length) };
    else if (arg.startsWith("-")) return null;
    else words.push(arg);
  }
  if ((command === "search") !== words.length > 0) return null;
  return { ...flags, query: words.join(" ") };
}
