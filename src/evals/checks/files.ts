// A check on what a run left in its workspace: a file's content.

import { join, posix, sep } from "node:path";
import type { Files } from "../../host/files.ts";
import type { CheckOf } from "../check-spec.ts";
import { type Judged, right, wrong } from "./judged.ts";
import { matchesWhole, plainLines, shown } from "./output.ts";

const fileBytesMax = 10 * 1024 * 1024;

export async function judgeFile(files: Files, check: CheckOf<"file">, workspace: string): Promise<Judged> {
  const path = posix.normalize(check.path);
  if (posix.isAbsolute(path) || path.startsWith("..")) return wrong(`${path} is not in the workspace`);
  const [root, real] = [await files.realPath(workspace), await files.realPath(join(workspace, path))];
  if (!real.ok) return check.absent ? right(`${path} is not there`) : wrong(`${path} is not there`, "file missing");
  if (check.absent) return wrong(`${path} is there`, "file not removed");
  if (!root.ok || !real.value.startsWith(`${root.value}${sep}`)) return wrong(`${path} leads out of the workspace`);
  const bytes = await files.read(real.value, fileBytesMax);
  if (!bytes.ok) return wrong(`${path}: ${bytes.error.message}`);
  const text = plainLines(Buffer.from(bytes.value).toString("utf8"));
  const { equals, matches } = check;
  if (equals !== undefined && text !== plainLines(equals))
    return wrong(`${path} is ${shown(text)}, not ${shown(plainLines(equals))}`, "other content");
  if (matches !== undefined && !matchesWhole(matches, text))
    return wrong(`${path} does not match: it is ${shown(text)}`, "other content");
  return right(`${path} is as it should be`);
}
