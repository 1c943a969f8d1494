// What a worker host is told by the process that starts it: one line of JSON on its standard input. Keys are in it, and everybody
// on the machine can read arguments, everybody of the same user environments.

import { flag, list, natural, nullable, object, type Parsed, parse, text } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import { modelWire } from "./model-wire.ts";

const path = text(4_096);

const settings = object({
  directories: object({ run: path, workspaces: path, agents: path, blobs: path }),
  /** Ignore rules from outside the tree, in rising precedence. */
  ignoreTexts: list(text(4 * 1024 * 1024), 10),
  models: list(modelWire, 10),
  /** Keys that no answer of a tool may hand on: those of the models, and others that are set. */
  secrets: list(text(100_000), 1_000),
  limits: object({ requestsPerMinute: nullable(natural()), agentsMax: natural(), askedLately: flag }),
  /** Null: workspaces are copies. */
  overlay: nullable(object({ demote: list(text(100), 10) })),
  /** Of agents' commands and checks; null where they run without one. */
  sandbox: nullable(object({ hidden: list(path, 10), open: list(path, 1_000), network: flag })),
  /** Where traffic is recorded; null records nothing. */
  record: nullable(path),
});

export type HostSettingsLine = Parsed<typeof settings>;

/** Of the whole line. */
export const hostSettingsBytesMax = 64 * 1024 * 1024;

export function encodeHostSettings(line: HostSettingsLine): Uint8Array {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** Everything until the end of the input, which must be one line; the error repeats nothing of it. */
export async function readHostSettings(input: AsyncIterable<Uint8Array>): Promise<Result<HostSettingsLine, string>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.byteLength;
    if (size > hostSettingsBytesMax) return err(`the settings have more than ${hostSettingsBytesMax} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  // Whoever began to write and died leaves half a line.
  if (bytes.at(-1) !== newline) return err("the settings on standard input are not whole");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return err("the settings on standard input are no JSON");
  }
  const parsed = parse(settings, value, "settings");
  return parsed.ok ? ok(parsed.value) : err(parsed.error.message);
}

const newline = 10;
