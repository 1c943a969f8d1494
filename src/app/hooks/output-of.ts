// What a foreign program prints, within a time and a size: for asking a client its version or its view of our hooks.

import type { Surroundings } from "../surroundings.ts";

export interface ForeignCall {
  readonly argv: readonly [string, ...string[]];
  /** Sent to it line by line, each once the answer to the one before has come. */
  readonly input?: readonly string[];
  readonly timeMsMax: number;
  /** Told each whole line of its output; true is enough, and the program is ended. */
  readonly onLine: (line: string, send: (line: string) => void) => boolean;
}

const outputBytesMax = 4 * 1024 * 1024;

/** `missing` where there is no such program; `silent` where it did not say enough in time. */
export async function askProgram(
  { host: { processes, clock }, env, cwd }: Surroundings,
  { argv, input = [], timeMsMax, onLine }: ForeignCall,
): Promise<"answered" | "missing" | "silent"> {
  const started = await processes.spawn({ argv, cwd, env: defined(env) });
  if (!started.ok) return started.error.code === "other" ? "silent" : "missing";
  const child = started.value;
  const send = (line: string): void => void child.write(Buffer.from(`${line}\n`));
  const timer = clock.after(timeMsMax, () => child.kill("SIGKILL"));
  const errors = drain(child.stderr);
  for (const line of input) send(line);
  let text = "";
  let bytes = 0;
  let enough = false;
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    bytes += chunk.byteLength;
    if (bytes > outputBytesMax) break;
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    enough = lines.some((line) => onLine(line, send));
    if (enough) break;
  }
  if (!enough && text !== "") enough = onLine(text, send);
  timer.cancel();
  child.kill("SIGKILL");
  await errors;
  return enough ? "answered" : "silent";
}

async function drain(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of source);
}

function defined(env: Surroundings["env"]): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) set[name] = value;
  return set;
}
