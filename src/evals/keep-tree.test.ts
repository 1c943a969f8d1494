// What a run left comes into the results whole, without keys, and without what is no file.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { writtenForms } from "../base/secrets.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { keepTree } from "./keep-tree.ts";

test("files, names and links hold no key in any written form, wherever pieces are cut; pipes stay behind", async () => {
  using directory = temporaryDirectory();
  const [from, to] = [join(directory.path, "from"), join(directory.path, "to")];
  const key = 'sk-"test"/0123456789';
  mkdirSync(join(from, "deep"), { recursive: true });
  // Across the end of the first piece of 1 MiB.
  const long = "x".repeat(1024 * 1024 - 5);
  writeFileSync(join(from, "long"), `${long}${key}${long}`);
  writeFileSync(
    join(from, "deep", "lines.jsonl"),
    `${JSON.stringify({ text: key })}\n?key=${encodeURIComponent(key)}\n`,
  );
  writeFileSync(join(from, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(from, "bytes"), Buffer.from([0, 255, 254, 128]));
  symlinkSync(`../${encodeURIComponent(key)}`, join(from, "link"));
  writeFileSync(join(from, encodeURIComponent(key)), "");
  execFileSync("mkfifo", [join(from, "pipe")]);
  const kept = await keepTree(nodeHost().files, { from, to, secrets: writtenForms([key]) });
  expect({
    kept,
    names: readdirSync(to, { recursive: true, encoding: "utf8" }).toSorted(),
    long: readFileSync(join(to, "long"), "utf8") === `${long}[key removed]${long}`,
    lines: readFileSync(join(to, "deep", "lines.jsonl"), "utf8"),
    executable: statSync(join(to, "run.sh")).mode & 0o100,
    bytes: [...readFileSync(join(to, "bytes"))],
    link: readlinkSync(join(to, "link")),
  }).toEqual({
    kept: { ok: true, value: [] },
    names: ["[key removed]", "bytes", "deep", "deep/lines.jsonl", "link", "long", "run.sh"],
    long: true,
    lines: '{"text":"[key removed]"}\n?key=[key removed]\n',
    executable: 0o100,
    bytes: [0, 255, 254, 128],
    link: "../[key removed]",
  });
});
