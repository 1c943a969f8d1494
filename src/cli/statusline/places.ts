// Where a status line is shown. Imports nothing: the first file that is loaded asks it which way to go.

export const STATUS_PLACES = ["claude-code", "tmux"] as const;
export type StatusPlace = (typeof STATUS_PLACES)[number];

/** The place of `skein statusline <args>` where that is all; null where the whole command line has to read it, or to refuse it. */
export function statusPlace(args: readonly string[]): StatusPlace | null {
  return args.length === 1 ? (STATUS_PLACES.find((place) => place === args[0]) ?? null) : null;
}
