// Keeps traces of one machine out of the repository: it must build anywhere, from whatever registry is set up there.
import { type Finding, findingAt, type TrackedFile } from "./finding.ts";

/** Written so that no pattern matches its own source. */
const TRACES = [
  { pattern: /(?<![\w.-])\/work\//g, message: "a path of one machine" },
  { pattern: /registry\.[\w-]+\.(org|com|io)|\bnpmjs\.(org|com)|\bdeb\.debian\.org/g, message: "a registry's host" },
];

export function noTraces(file: TrackedFile): Finding[] {
  return TRACES.flatMap(({ pattern, message }) =>
    [...file.text.matchAll(pattern)].map((match) => findingAt(file, match.index, `${message}: ${match[0]}`)),
  );
}
