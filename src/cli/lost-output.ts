// What a person is told when the output cannot be written: what of the command's work is there all the same.

/** `args` are the command line's; the answer is one line. */
export function keptThough(args: readonly string[]): string {
  switch (args.find((arg) => !arg.startsWith("-"))) {
    case "run":
      return "what was done is kept, with the transcript: skein run --list shows the run, --resume goes on";
    case "swarm":
    case "demo":
      return "what landed is kept and exported: skein runs shows it";
    default:
      return "what was acknowledged is kept";
  }
}

/** Whether programs read the output: they get an error as a line of JSON. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    if (arg === "--json") return true;
    const format = arg.startsWith("--output=") ? arg.slice("--output=".length) : null;
    return (format ?? (args[index - 1] === "--output" ? arg : "")).includes("json");
  });
}
