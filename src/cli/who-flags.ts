// The flags of `skein who`. Imports nothing: the first file that is loaded asks it which way to go.

export interface WhoFlags {
  readonly json: boolean;
  readonly all: boolean;
  readonly repo: string;
}

export const noWhoFlags: WhoFlags = { json: false, all: false, repo: "." };

/** The flags of `skein who <args>` where they are the plain ones; null where the whole command line has to read them, or to refuse them. */
export function plainFlags(args: readonly string[]): WhoFlags | null {
  let flags = noWhoFlags;
  for (const arg of args) {
    if (arg === "--json") flags = { ...flags, json: true };
    else if (arg === "--all") flags = { ...flags, all: true };
    else if (/^--repo=./.test(arg)) flags = { ...flags, repo: arg.slice("--repo=".length) };
    else return null;
  }
  return flags;
}
