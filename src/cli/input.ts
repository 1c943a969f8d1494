// Standard input as a command sees it: whether somebody put something there, and all of it as text. Nothing waits for ever for a pipe
// that whoever started us left open.

import { fstatSync } from "node:fs";

export interface Input {
  /** `piped`: a pipe or a file, put there on purpose; `other`: a terminal, nothing, or what a program that started us left open. */
  readonly kind: "piped" | "other";
  /** A person would have to type it. */
  readonly terminal: boolean;
  /** All of it; `too-large` beyond `bytesMax`. `silent`: nothing came within `patienceMs`, and it is still open. */
  read(options: { readonly bytesMax: number; readonly patienceMs: number | null }): Promise<ReadInput>;
}

export type ReadInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" | "silent" | "not-utf8" }
  | { readonly kind: "failed"; readonly message: string };

export function processInput(): Input {
  return { kind: isPiped() ? "piped" : "other", terminal: process.stdin.isTTY === true, read: readAll };
}

/** A socket is what programs give their children without a thought, and `/dev/null` is nothing. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false;
  }
}

async function readAll({ bytesMax, patienceMs }: Parameters<Input["read"]>[0]): Promise<ReadInput> {
  const { stdin } = process;
  const pieces: Buffer[] = [];
  let bytes = 0;
  const { promise, resolve } = Promise.withResolvers<ReadInput>();
  const timer = patienceMs === null ? null : setTimeout(() => resolve({ kind: "silent" }), patienceMs);
  stdin.on("data", (piece: Buffer) => {
    if (timer !== null) clearTimeout(timer);
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > bytesMax) resolve({ kind: "too-large" });
  });
  stdin.once("end", () => resolve(decoded(Buffer.concat(pieces))));
  stdin.once("error", (error) => resolve({ kind: "failed", message: error.message }));
  const read = await promise;
  if (timer !== null) clearTimeout(timer);
  // An input that is open would keep the process alive.
  stdin.destroy();
  return read;
}

function decoded(bytes: Buffer): ReadInput {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "not-utf8" };
  }
}
