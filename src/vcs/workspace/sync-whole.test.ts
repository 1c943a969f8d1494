// A person's sync is all or nothing, so that what others did between two snapshots never becomes the person's own change.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asPosition } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { made, put, type Tree } from "../../testing/git/made-workspace.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { reopenWorkspace } from "./workspace.ts";

const before: Tree = { mine: "1\n", theirs: "1\n", gone: "1\n", f2d: "f\n", "d2f/x": "x\n" };
const after: Tree = { mine: "2\n", theirs: "2\n", new: "2\n", "f2d/y": "y\n", d2f: "now a file\n" };

describe("a whole sync", () => {
  test("S3 with an overlap nothing is brought, and only the person's change is one", async () => {
    using directory = temporaryDirectory();
    const { syncWhole, scan, workspace, read, root } = await made(directory.path, before);
    writeFileSync(join(root, "mine"), "edited\n");
    const report = await syncWhole(2, after);
    expect(report).toEqual({ updated: [], overlaps: ["mine"] });
    expect([workspace.position, read("theirs"), existsSync(join(root, "new")), read("mine")]).toEqual([
      1,
      "1\n",
      false,
      "edited\n",
    ]);
    expect((await scan()).changes).toEqual([put("mine", "edited\n")]);
  });

  test.each([
    ["a file of the person's in a directory that becomes a file", "d2f/own", "d2f"],
    ["a directory of the person's where a file comes", "new/own", "new"],
  ])("S22 %s: what was brought before it was met is taken back", async (_, own, overlap) => {
    using directory = temporaryDirectory();
    const { syncWhole, scan, workspace, read, root, run } = await made(directory.path, before);
    run(`mkdir -p ${own.split("/")[0]}; echo own > ${own}`);
    const report = await syncWhole(2, after);
    expect(report).toEqual({ updated: [], overlaps: [overlap] });
    expect([workspace.position, read("theirs"), read("gone"), read("f2d"), read("d2f/x")]).toEqual([
      1,
      "1\n",
      "1\n",
      "f\n",
      "x\n",
    ]);
    expect((await scan()).changes).toEqual([put(own, "own\n")]);
    expect(existsSync(join(root, "f2d/y"))).toBe(false);
  });

  test("S3 what was committed and merged is no overlap of the next sync", async () => {
    using directory = temporaryDirectory();
    const { workspace, syncWhole, scan, read, root, options, manifest } = await made(directory.path, before);
    writeFileSync(join(root, "mine"), "edited\n");
    unwrap(await workspace.keepCommitted([put("mine", "edited\n")], null), "keep");
    expect((await scan()).changes).toEqual([]);

    const manifestAt = async () => manifest(before);
    const opened = unwrap(await reopenWorkspace({ ...options, manifestAt }), "reopen");
    expect(unwrap((await opened?.scan())!, "scan").changes).toEqual([]);
    const report = await syncWhole(2, { ...before, mine: "edited\nand merged\n" });
    expect([report.overlaps, read("mine"), workspace.position]).toEqual([[], "edited\nand merged\n", 2]);
  });

  test("S11 one that is cut off in the middle is known as such, and the next one brings a newer snapshot", async () => {
    using directory = temporaryDirectory();
    const { workspace, options, manifest, root, read } = await made(directory.path, before);
    let writes = 0;
    // The process ends after some of the files.
    const files: typeof options.files = Object.assign(Object.create(options.files), {
      async rename(from: string, to: string) {
        if (to.includes("/tree/")) writes += 1;
        if (writes > 1) throw new Error("killed");
        return options.files.rename(from, to);
      },
    });
    const trees = [before, before, after];
    const manifestAt = async (at: number) => manifest(trees[at] ?? {});
    const doomed = unwrap(await reopenWorkspace({ ...options, files, manifestAt }), "reopen");
    const killed = doomed?.syncWhole({ position: asPosition(2), manifest: manifest(after) });
    await expect(killed).rejects.toThrow("killed");
    expect(existsSync(join(root, "gone"))).toBe(false);

    const next = unwrap(await reopenWorkspace({ ...options, manifestAt }), "reopen");
    expect([next?.isCutOff, next?.position, unwrap((await next?.scan())!, "scan").changes]).toEqual([true, 1, []]);
    const newest: Tree = { mine: "3\n", theirs: "1\n", gone: "3\n", "f2d/y": "y\n", d2f: "now a file\n" };
    const report = unwrap((await next?.syncWhole({ position: asPosition(3), manifest: manifest(newest) }))!, "sync");
    expect([report.overlaps, next?.isCutOff, next?.position]).toEqual([[], false, 3]);
    expect(["mine", "theirs", "gone", "f2d/y", "d2f"].map(read)).toEqual(["3\n", "1\n", "3\n", "y\n", "now a file\n"]);
    expect([existsSync(join(root, "new")), workspace.position]).toEqual([false, 1]);
    expect(JSON.parse(readFileSync(join(options.directory, "state.json"), "utf8"))).toMatchObject({
      position: 3,
      toward: null,
    });
  });
});
