// A repository with a history of everything that is hard to carry: names, modes, links, submodules, encodings, files that turn into
// directories and back, merges, empty commits. Made with git's own commands.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepository, writeTree } from "./real-repository.ts";

const submodule = "1".repeat(64);

export function makeHardHistory(root: string, format: "sha1" | "sha256" = "sha1"): void {
  makeRepository(
    root,
    {
      "a.txt": { kind: "file", bytes: "one\ntwo\n" },
      thing: { kind: "file", bytes: "a file\n" },
      "dir/inner/x": { kind: "file", bytes: "x\n" },
      "crlf.txt": { kind: "file", bytes: "one\r\ntwo\r\n" },
      ".gitattributes": { kind: "file", bytes: "* text=auto\n*.big filter=lfs diff=lfs merge=lfs -text\n" },
      "model.big": { kind: "file", bytes: "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n" },
    },
    { format },
  );
  const commit = (message: string, ...more: readonly string[]): void => {
    git(root, ["add", "--all", "--force"]);
    git(root, [
      "-c",
      "commit.gpgSign=false",
      "commit",
      "--quiet",
      "--allow-empty",
      "--allow-empty-message",
      "-m",
      message,
      ...more,
    ]);
  };
  const odd = [
    "\u00e4 composed",
    "a\u0308 decomposed",
    'quo"te',
    "new\nline",
    "-dash",
    "a -> b",
    "tab\t",
    "\u{1f600}",
    "x".repeat(255),
    "back\\slash",
  ];
  writeTree(root, Object.fromEntries(odd.map((name) => [`odd/${name}`, { kind: "file", bytes: name } as const])));
  commit("Odd names\n\nWith a body,\n  indented.");
  rmSync(join(root, "thing"));
  writeTree(root, {
    "thing/now/a/directory": { kind: "file", bytes: "deep\n" },
    "run.sh": { kind: "file", bytes: "#!/bin/sh\n", executable: true },
  });
  commit("A file becomes a directory");
  rmSync(join(root, "thing"), { recursive: true });
  rmSync(join(root, "dir"), { recursive: true });
  writeTree(root, {
    thing: { kind: "file", bytes: "a file again\n" },
    dir: { kind: "link", target: "odd" },
    out: { kind: "link", target: "../../etc/passwd" },
  });
  commit("And back, and a directory becomes a link");
  git(root, [
    "update-index",
    "--add",
    "--cacheinfo",
    `160000,${submodule.slice(0, format === "sha1" ? 40 : 64)},vendor/sub`,
  ]);
  git(root, ["commit", "--quiet", "-m", "A submodule"]);
  git(root, ["update-index", "--chmod=-x", "run.sh"]);
  git(root, ["update-index", "--chmod=+x", "a.txt"]);
  git(root, ["commit", "--quiet", "-m", "Only modes"]);
  git(root, ["commit", "--quiet", "--allow-empty", "-m", "Nothing at all"]);
  git(root, ["checkout", "--quiet", "--force", "-b", "side", "HEAD~2"]);
  writeTree(root, {
    "side.bin": { kind: "file", bytes: Uint8Array.from({ length: 5_000 }, (_, index) => index % 251) },
  });
  git(root, ["add", "side.bin"]);
  git(root, ["-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "-m", "Caf\u00e9 on the side"]);
  git(root, ["checkout", "--quiet", "--force", "main"]);
  git(root, ["merge", "--quiet", "--no-ff", "-m", "Merge side", "side"], {
    env: { GIT_AUTHOR_NAME: "Zo\u00eb <x>\u001b[2J", GIT_AUTHOR_EMAIL: "zoe@example.com" },
  });
  git(root, ["rm", "--quiet", "-r", "--cached", "odd"]);
  git(root, ["commit", "--quiet", "-m", "Odd names are gone"]);
}
