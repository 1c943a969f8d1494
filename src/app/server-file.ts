// `server.json` in a store's directory: who serves it now, and where. There from when the server listens to its end; one that a
// crash left is told by its socket, which nobody answers.

import { join } from "node:path";
import { natural, object, type Parsed, parse, text } from "../base/parse.ts";
import type { FileResult, Files } from "../host/files.ts";

const file = object({ pid: natural(), socket: text(4_096) });

export type ServerFile = Parsed<typeof file>;

const fileBytesMax = 64 * 1024;

export async function writeServerFile(files: Files, directory: string, content: ServerFile): FileResult<void> {
  const fresh = `${pathOf(directory)}.new`;
  const written = await files.write(fresh, Buffer.from(`${JSON.stringify(content)}\n`));
  return written.ok ? files.rename(fresh, pathOf(directory)) : written;
}

/** Null where there is none, or none that can be read. */
export async function readServerFile(files: Files, directory: string): Promise<ServerFile | null> {
  const bytes = await files.read(pathOf(directory), fileBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(file, JSON.parse(new TextDecoder().decode(bytes.value)), "server.json");
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

export async function removeServerFile(files: Files, directory: string): Promise<void> {
  await files.remove(pathOf(directory));
}

function pathOf(directory: string): string {
  return join(directory, "server.json");
}
