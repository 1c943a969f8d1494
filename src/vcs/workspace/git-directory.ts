// The files of a git directory of ours, written without git: no templates, so no hooks, and no settings but these.

import { dirname, join, relative } from "node:path";
import { ok } from "../../base/result.ts";
import type { FileResult, Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";

export const workspaceBranchRef = "refs/heads/workspace";
export const headText = `ref: ${workspaceBranchRef}\n`;

export interface GitDirectoryOptions {
  readonly files: Files;
  readonly gitDir: string;
  readonly format: ObjectFormat;
  readonly bare: boolean;
  /** An object directory whose objects are read as if they were here; null for none. */
  readonly borrows: string | null;
}

/**
 * A workspace holds each file byte by byte as it is committed, so git must compare bytes: a conversion that the project's
 * attributes ask for would show differences that are none, and a filter would start the user's programs. `info/attributes` wins over the tree's.
 */
const attributes = "* -text -ident -filter -working-tree-encoding\n";

/** What `git init` makes at the least (gitrepository-layout(5)). Directories may exist; files are replaced. */
export async function writeGitDirectory(options: GitDirectoryOptions): FileResult<void> {
  const { files, gitDir, borrows } = options;
  const objects = join(gitDir, "objects");
  for (const directory of [join(objects, "info"), join(gitDir, dirname(workspaceBranchRef)), join(gitDir, "info")]) {
    const made = await files.makeDirectory(directory);
    if (!made.ok) return made;
  }
  const texts: (readonly [path: string, text: string])[] = [
    [join(gitDir, "HEAD"), headText],
    [join(gitDir, "config"), config(options)],
    [join(gitDir, "info", "attributes"), attributes],
  ];
  // Relative: the run's directory may be moved, and a path that begins with `../` needs no quoting.
  if (borrows !== null) texts.push([join(objects, "info", "alternates"), `${relative(objects, borrows)}\n`]);
  for (const [path, text] of texts) {
    const written = await files.write(path, Buffer.from(text));
    if (!written.ok) return written;
  }
  return ok(undefined);
}

function config({ format, bare }: GitDirectoryOptions): string {
  const sha256 = format === "sha256";
  const core = `[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n\tfilemode = true\n\tbare = ${bare}\n`;
  // Nothing of an agent's commands should go on working in the background.
  const rest = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
  return `${core}${sha256 ? "[extensions]\n\tobjectformat = sha256\n" : ""}${rest}`;
}
