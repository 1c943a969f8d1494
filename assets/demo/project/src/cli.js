// The command line: what is computed, printed and returned as the exit status.

/**
 * Runs the command. `args` are its arguments; `readInput` returns the whole standard input and is called only when it is
 * needed. Returns { status, output, errors }: the exit status and the texts for the standard output and error.
 */
export function run(args, readInput) {
  throw new Error("not built yet");
}
