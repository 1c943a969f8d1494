// What must outlive its process for an overlay to be mounted again: the layers below it, in a file beside its upper layer.
// A workspace without the file is a plain directory. Written whole and renamed into place.

import { basename, join } from "node:path";
import { flag, list, object, oneOf, parse, text } from "../../../base/parse.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { FileError, FileResult, Files } from "../../../host/files.ts";

export interface OverlayState {
  /** Directories relative to the one that holds all workspaces, topmost first. */
  readonly layers: readonly string[];
  /** Its files were copied together: they stand in `at` as in any directory, and no layer is needed any more. */
  readonly whole: boolean;
}

const stateBytesMax = 64 * 1024;
const layersMax = 100;
const overlayState = object({ version: oneOf(1), layers: list(text(200), layersMax), whole: flag });

/** Where the layers' union is seen: in the namespaces of the host that mounted it, or everywhere once it is whole. */
export const atName = "at";
export const upperName = "upper";
export const workName = "work";

export function saveOverlay(files: Files, directory: string, { layers, whole }: OverlayState): FileResult<void> {
  const note = whole
    ? `The files are in ${atName}/tree.`
    : `The files are in layers; ${upperName}/tree has what was changed. \`skein vcs workspace show ${basename(directory)}\` makes them one directory, ${atName}/tree.`;
  return replaceFile(files, join(directory, "overlay.json"), JSON.stringify({ version: 1, layers, whole, note }));
}

/** Null for a plain directory. */
export async function loadOverlay(files: Files, directory: string): Promise<Result<OverlayState | null, FileError>> {
  const path = join(directory, "overlay.json");
  const bytes = await files.read(path, stateBytesMax);
  if (!bytes.ok) return bytes.error.code === "not-found" || bytes.error.code === "not-directory" ? ok(null) : bytes;
  const parsed = parse(overlayState, readJson(bytes.value), "overlay");
  // Ours are relative and go down only.
  const isOurs = parsed.ok && parsed.value.layers.every((layer) => /^layer-\d{1,9}\/[a-z]+$/.test(layer));
  if (parsed.ok && isOurs) return ok({ layers: parsed.value.layers, whole: parsed.value.whole });
  return err({ kind: "file", code: "io", path, message: `${path} is damaged: it does not name the layers` });
}

/** A crash leaves the old text or the new one. */
export async function replaceFile(files: Files, path: string, content: string): FileResult<void> {
  const temporary = `${path}.new`;
  const written = await files.write(temporary, Buffer.from(content));
  return written.ok ? files.rename(temporary, path) : written;
}

export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}
