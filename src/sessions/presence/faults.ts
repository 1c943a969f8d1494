// The hooks' own log: what went wrong in a hook, which itself never says so, since one stray word on its output would reach the agent.
// Invariant: writing it never fails anybody, and it stays small.

import { join } from "node:path";
import { natural, object, type Parsed, parse, text } from "../../base/parse.ts";
import { cleanLine } from "../../base/text.ts";
import type { SessionFiles } from "./session-file.ts";

const FAULT = object({ at: natural(), client: text(100), message: text(2_000) });
/** One fault of a hook. `at` in milliseconds since the epoch. */
export type Fault = Parsed<typeof FAULT>;

const name = "hook-faults.jsonl";
const logBytesMax = 256 * 1024;
const messageCharsMax = 1_000;

/** One line with one write. A full log is set aside, and the one set aside before is lost. */
export async function logFault(files: SessionFiles, root: string, fault: Fault): Promise<void> {
  const path = join(root, name);
  const clean = { ...fault, client: cleanLine(fault.client, 40), message: cleanLine(fault.message, messageCharsMax) };
  const stat = await files.stat(path);
  if (stat.ok && stat.value.size > logBytesMax) await files.rename(path, `${path}.1`);
  let opened = await files.open(path, "append", { private: true });
  if (!opened.ok && (await files.makeDirectory(root, { private: true })).ok)
    opened = await files.open(path, "append", { private: true });
  if (!opened.ok) return;
  await opened.value.append([new TextEncoder().encode(`${JSON.stringify(clean)}\n`)]);
  await opened.value.close();
}

/** The last ones, newest first. */
export async function recentFaults(files: SessionFiles, root: string, countMax: number): Promise<readonly Fault[]> {
  const bytes = await files.read(join(root, name), logBytesMax * 2);
  if (!bytes.ok) return [];
  const lines = Buffer.from(bytes.value).toString("utf8").trimEnd().split("\n");
  return lines.flatMap(faultOf).reverse().slice(0, countMax);
}

function faultOf(line: string): readonly Fault[] {
  try {
    const parsed = parse(FAULT, JSON.parse(line), "fault");
    return parsed.ok ? [parsed.value] : [];
  } catch {
    return [];
  }
}
