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

const READING = ["board", "watch", "who", "trace", "doctor", "statusline", "help", "swarm status", "runs"].concat(
  ["log", "show", "diff", "blame", "conflicts", "watch", "stats", "fsck"].map((name) => `vcs ${name}`),
  ["list", "show"].map((name) => `vcs workspace ${name}`),
  ["show", "search"].map((name) => `memory ${name}`),
  ["list", "report", "compare"].map((name) => `eval ${name}`),
);
const ACTING = ["runs prune"];
const TELLING_FLAGS: ReadonlySet<string> = new Set(["--help", "-h", "--version", "-V"]);

/** Whether the command only tells: where its reader has gone (`| head`), nothing of it is lost, and nothing is to be said. */
export function onlyTells(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  if (flags.some((arg) => TELLING_FLAGS.has(arg))) return true;
  const words = args.filter((arg) => !arg.startsWith("-"));
  const begins = (command: string): boolean => command.split(" ").every((word, index) => words[index] === word);
  return (begins("run") && flags.includes("--list")) || (READING.some(begins) && !ACTING.some(begins));
}

/** Whether programs read the output: they get an error as a line of JSON. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    if (arg === "--json") return true;
    const format = arg.startsWith("--output=") ? arg.slice("--output=".length) : null;
    return (format ?? (args[index - 1] === "--output" ? arg : "")).includes("json");
  });
}
