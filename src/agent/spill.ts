// Full texts of capped results on disk, named by their content: the same text has one file, and a repeated call gets
// the same result, path included.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { err, ok } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import type { Spill } from "./spec.ts";

/** Saves as `<directory>/<hash>.txt`; the directory is created when first needed. */
export function spillTo(files: Files, directory: string): Spill {
  return async ({ text }) => {
    const bytes = Buffer.from(text, "utf8");
    const path = join(directory, `${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}.txt`);
    const made = await files.makeDirectory(directory, { private: true });
    if (!made.ok) return err(made.error);
    const written = await files.write(path, bytes, { private: true });
    return written.ok ? ok(path) : err(written.error);
  };
}
