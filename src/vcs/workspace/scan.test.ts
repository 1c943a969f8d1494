// What scans find on the real disk, and what they never take.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gone, made, put, type Tree } from "../../testing/git/made-workspace.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";

describe("scan", () => {
  test("finds everything a shell did, and nothing else", async () => {
    using directory = temporaryDirectory();
    const tree: Tree = {
      "keep.txt": "keep\n",
      "edit.txt": "old\n",
      "gone.txt": "gone\n",
      "mode.sh": "#!/bin/sh\n",
      link: ["keep.txt", "120000"],
      "file-to-dir": "f\n",
      "dir-to-file/a": "a\n",
      "dir-to-file/b/c": "c\n",
      "moved/x": "x\n",
      "same-size.txt": "aaaa",
      "to-link": "t\n",
    };
    const { run, scan } = await made(directory.path, tree);
    expect(await scan()).toEqual({ changes: [], blobs: [], skipped: [] });
    run(`echo new > edit.txt; rm gone.txt; chmod +x mode.sh; ln -sfn /etc/passwd link
      rm file-to-dir; mkdir -p file-to-dir/deep; echo in > file-to-dir/deep/f
      rm -r dir-to-file; echo file > dir-to-file; mv moved moved2; printf bbbb > same-size.txt
      rm to-link; ln -s nowhere to-link; mkdir empty; printf '' > zero; mkdir .git/x; echo x > .git/y`);
    const found = await scan();
    expect(found.changes).toEqual([
      put("dir-to-file", "file\n"),
      gone("dir-to-file/a"),
      gone("dir-to-file/b/c"),
      put("edit.txt", "new\n"),
      gone("file-to-dir"),
      put("file-to-dir/deep/f", "in\n"),
      gone("gone.txt"),
      put("link", "/etc/passwd", "120000"),
      put("mode.sh", "#!/bin/sh\n", "100755"),
      gone("moved/x"),
      put("moved2/x", "x\n"),
      put("same-size.txt", "bbbb"),
      put("to-link", "nowhere", "120000"),
      put("zero", ""),
    ]);
    expect(found.blobs.map(({ id, bytes }) => blobId(bytes) === id)).toEqual(found.blobs.map(() => true));
    expect(new Set(found.blobs.map(({ id }) => id))).toEqual(
      new Set(found.changes.flatMap((change) => (change.kind === "put" ? [change.blob] : []))),
    );
    expect((await scan()).changes).toEqual(found.changes);
  });

  test("an edit that keeps size and time stamps is found (also when touched)", async () => {
    using directory = temporaryDirectory();
    const { run, scan, root } = await made(directory.path, { "a.txt": "0000" });
    const wanted: string[] = [];
    const found: string[] = [];
    for (let round = 1; round <= 200; round += 1) {
      const text = String(round).padStart(4, "0");
      writeFileSync(join(root, "a.txt"), text);
      const { blobs } = await scan();
      wanted.push(text);
      found.push(Buffer.from(blobs[0]?.bytes ?? []).toString());
    }
    expect(found).toEqual(wanted);
    run("touch -d @1000000000 a.txt; printf 9999 > a.txt; touch -d @1000000000 a.txt");
    expect((await scan()).changes).toEqual([put("a.txt", "9999")]);
  });

  test("S26 ignored files and ignored links are never taken; tracked ones stay tracked", async () => {
    using directory = temporaryDirectory();
    const { run, scan } = await made(
      directory.path,
      {
        ".gitignore": "node_modules/\n*.log\nbuild/\n",
        "tracked.log": "1\n",
        "build/tracked": "1\n",
        "build/gone": "1\n",
      },
      { ignoreTexts: ["*.swp\n", "/secret\n"] },
    );
    run(`ln -s /usr/lib node_modules; echo 2 > new.log; echo 2 > tracked.log; echo 2 > build/tracked; echo 2 > build/new
      rm build/gone; mkdir -p sub/node_modules; echo x > sub/node_modules/y; echo x > a.swp; echo x > secret; echo x > sub/secret
      echo '!*.log' > sub/.gitignore; echo x > sub/shown.log`);
    expect((await scan()).changes).toEqual([
      gone("build/gone"),
      put("build/tracked", "2\n"),
      put("sub/.gitignore", "!*.log\n"),
      put("sub/secret", "x\n"),
      put("sub/shown.log", "x\n"),
      put("tracked.log", "2\n"),
    ]);
  });

  test("S25 what cannot be taken is named, and never looks like a deletion", async () => {
    using directory = temporaryDirectory();
    const { run, scan, root } = await made(
      directory.path,
      { "grows.bin": "small", pipe: "was a file\n", "lib/sub": ["1234567890123456789012345678901234567890", "160000"] },
      { limits: { fileBytesMax: 1000 } },
    );
    run(`head -c 1001 /dev/zero > grows.bin; head -c 2000 /dev/zero > big.bin; rm pipe; mkfifo pipe new-pipe
      echo x > lib/sub/file; git init -q cloned; echo x > cloned/y; mkdir .GIT; echo x > .GIT/config; echo fine > fine.txt`);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0x62])]), "x");
    const { changes, skipped } = await scan();
    expect(changes).toEqual([put("fine.txt", "fine\n")]);
    expect(skipped.map(({ path, reason }) => `${reason} ${path}`).sort()).toEqual([
      "bad-name .GIT",
      "bad-name bad-\ufffdb",
      "inside-submodule lib/sub",
      "nested-repository cloned",
      "special-file new-pipe",
      "special-file pipe",
      "too-large big.bin",
      "too-large grows.bin",
    ]);
  });

  test("a link that replaces a directory is one change, and nothing behind it is read", async () => {
    using directory = temporaryDirectory();
    const outside = join(directory.path, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "secret\n");
    const { run, scan } = await made(directory.path, { "d/secret": "mine\n", "d/other": "o\n" });
    run(`rm -r d; ln -s '${outside}' d`);
    expect((await scan()).changes).toEqual([put("d", outside, "120000"), gone("d/other"), gone("d/secret")]);
  });

  test("limits end a scan with a reason", async () => {
    using directory = temporaryDirectory();
    const { run, workspace } = await made(directory.path, {}, { limits: { scanBytesMax: 10, filesMax: 3 } });
    run("echo 1234567890 > a");
    const bytes = await workspace.scan();
    run("rm a; touch 1 2 3 4");
    const count = await workspace.scan();
    expect([bytes, count]).toEqual([
      { ok: false, error: { kind: "scan-limit", what: "bytes", max: 10 } },
      { ok: false, error: { kind: "scan-limit", what: "files", max: 3 } },
    ]);
  });
});

describe("committed", () => {
  test("the next scan starts from what the commit held, not from what came after", async () => {
    using directory = temporaryDirectory();
    const { run, scan, workspace } = await made(directory.path, { a: "1\n", b: "1\n", c: "1\n" });
    run("echo 2 > a; rm b; echo new > n");
    const first = await scan();
    run("echo 3 > a; echo back > b");
    workspace.committed(first.changes);
    const second = await scan();
    workspace.committed(second.changes);
    expect([first.changes, second.changes, (await scan()).changes]).toEqual([
      [put("a", "2\n"), gone("b"), put("n", "new\n")],
      [put("a", "3\n"), put("b", "back\n")],
      [],
    ]);
  });
});
