// Real git repositories for tests, in temporary directories, made with plain `git` and a fixed environment.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BlobId } from "../../base/ids.ts";
import type { BlobSource } from "../../vcs/types.ts";

export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

/** Memory where there is some: thousands of small files are slow on a busy disk. */
const fastDirectory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Removed, whole, at the end of the `using` scope. */
export function temporaryDirectory(name = "skein-test-"): TemporaryDirectory {
  const path = realpathSync(mkdtempSync(join(fastDirectory, name)));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs plain git as a user would; answers stdout as latin1 text without its last newline. */
export function git(
  cwd: string,
  args: readonly string[],
  options: { input?: string | Uint8Array; env?: Record<string, string> } = {},
): string {
  const output = execFileSync("git", args, {
    cwd,
    input: options.input ?? "",
    env: { ...plainEnvironment, ...options.env },
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["pipe", "pipe", "pipe"],
  });
  return output.toString("latin1").replace(/\n$/, "");
}

/** Git takes and gives back memory for every object that it writes; where a page fault is dear, most of its time goes there. */
const keptMemory: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: String(64 * 1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024 ** 2),
  MALLOC_TOP_PAD_: String(1024 ** 2),
};

const plainEnvironment: Record<string, string> = {
  ...keptMemory,
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.com",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_DATE: "1700000000 +0000",
};

export type FileSpec =
  | { readonly kind: "file"; readonly bytes: string | Uint8Array; readonly executable?: boolean }
  | { readonly kind: "link"; readonly target: string };

export function writeTree(root: string, files: Readonly<Record<string, FileSpec>>): void {
  for (const [path, spec] of Object.entries(files)) {
    const absolute = join(root, path);
    mkdirSync(dirname(absolute), { recursive: true });
    if (spec.kind === "link") symlinkSync(spec.target, absolute);
    else writeFileSync(absolute, spec.bytes, { mode: spec.executable ? 0o755 : 0o644 });
  }
}

/** A repository whose HEAD holds these files on the branch `main`. */
export function makeRepository(
  root: string,
  files: Readonly<Record<string, FileSpec>>,
  options: { format?: "sha1" | "sha256" } = {},
): void {
  mkdirSync(root, { recursive: true });
  git(root, ["init", "--quiet", "--template=", "--initial-branch=main", `--object-format=${options.format ?? "sha1"}`]);
  writeTree(root, files);
  git(root, ["add", "--all", "--force"]);
  git(root, ["commit", "--quiet", "--allow-empty", "--message=Base"]);
}

/** Blobs from memory first, else from the repository. */
export function blobSource(contents: ReadonlyMap<BlobId, Uint8Array>): BlobSource {
  return {
    async get(ids) {
      return ids.map((id) => {
        const bytes = contents.get(id);
        if (bytes === undefined) throw new Error(`no blob ${id}`);
        return bytes;
      });
    },
  };
}

/** About 3,000 files of every kind git carries: nested, executable, binary, CRLF, links, and names that break quoting. */
export function oddTree(): Record<string, FileSpec> {
  const files: Record<string, FileSpec> = {};
  for (let index = 0; index < 2_960; index += 1) {
    const directory = `pkg${index % 40}/src/level${index % 7}/deep${index % 3}`;
    files[`${directory}/file${index}.txt`] = {
      kind: "file",
      bytes: `file ${index}\nline two\n`,
      executable: index % 50 === 0,
    };
  }
  const names = [
    "a -> b.txt",
    'quote"inside.txt',
    "'single'.txt",
    "new\nline.txt",
    "tab\there.txt",
    "-leading-dash",
    "--flag=value",
    " leading space",
    "trailing space ",
    "back\\slash.txt",
    "\u00e4-composed.txt",
    "a\u0308-decomposed.txt",
    "\ufeffbom.txt",
    "star*.txt",
    "question?.txt",
    "[bracket].txt",
    "!bang",
    "#hash",
    "semi;colon",
    "$dollar `tick`",
    "\u{1f600}.txt",
    "\u007fdel",
    "x".repeat(255),
    "CASE.txt",
    "case.txt",
    "a.b",
    "a0",
    "a/b",
    "dir.with.dots/x",
    "null/dev",
    "con",
    "~tilde",
    "{brace}",
  ];
  for (const name of names) files[`odd/${name}`] = { kind: "file", bytes: `content of ${name}` };
  files["crlf.txt"] = { kind: "file", bytes: "one\r\ntwo\r\n" };
  files["mixed.txt"] = { kind: "file", bytes: "\ufeffone\r\ntwo\nthree\rfour" };
  files.empty = { kind: "file", bytes: "" };
  files["binary.bin"] = {
    kind: "file",
    bytes: Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256),
  };
  files["link-inside"] = { kind: "link", target: "crlf.txt" };
  files["link-outside"] = { kind: "link", target: "../../outside/\u00e4" };
  files["link-absolute"] = { kind: "link", target: "/etc" };
  files["odd/link-dangling"] = { kind: "link", target: "no such file" };
  return files;
}
