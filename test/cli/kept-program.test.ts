// `skein memory` from the compiled form that its earlier runs left.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, vi } from "vitest";
import { bundle, skein } from "../support/skein.ts";
import { smallTest } from "../support/small-repository.ts";

// Whole programs on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

smallTest(
  "the compiled form of memory's program is taken a few times of each kind, and made anew where it is damaged or another's",
  async ({ small }) => {
    small.make();
    const { box, repository } = small;
    const caches = join(box.root, "caches");
    mkdirSync(caches);
    const run = async (...args: readonly string[]) => {
      const env = { XDG_CACHE_HOME: caches };
      const { exitCode, stdout, stderr } = await skein(box, { args: ["memory", ...args], cwd: repository, env });
      return [exitCode, stdout, stderr];
    };
    const folder = join(caches, "skein", "compiled");
    const kept = () => {
      const [name = "", ...others] = readdirSync(folder);
      const bytes = readFileSync(join(folder, name));
      const dataFrom = bytes.indexOf(10) + 1;
      const [stamp, length, , kinds] = bytes.toString("latin1", 0, dataFrom).trim().split(" ");
      return { path: join(folder, name), others, bytes, dataFrom, stamp, length: Number(length), kinds };
    };
    const found = [0, "no note holds all these words\n", ""];
    for (const kinds of ["search", "search,search", "search,search,search", "search,search,search"]) {
      expect(await run("search", "nothing")).toEqual(found);
      expect(kept().kinds).toBe(kinds);
    }
    const before = kept();
    // What fails is not kept, and other commands have their own.
    expect((await run("search", " "))[0]).toBe(2);
    expect((await run("show"))[0]).toBe(0);
    const { path, others, bytes, dataFrom, stamp, length, kinds } = kept();
    const source = readFileSync(join(dirname(bundle), "memory.cjs"), "latin1");
    expect([stamp, before.stamp, kinds, others]).toEqual([
      source.slice(3, 67),
      source.slice(3, 67),
      "search,search,search,show",
      [],
    ]);
    expect([dataFrom % 8, length]).toEqual([0, bytes.length - dataFrom]);
    // As a crash leaves it: the length is there, and a block has nothing.
    const lost = Buffer.from(bytes);
    lost.fill(0, dataFrom + (length >> 1), dataFrom + (length >> 1) + 512);
    const foreign = Buffer.from(bytes);
    foreign.write("0".repeat(64), "latin1");
    for (const damaged of [lost, foreign, bytes.subarray(0, -4096), Buffer.from("x"), Buffer.alloc(0)]) {
      writeFileSync(path, damaged);
      expect(await run("search", "nothing")).toEqual(found);
      expect([kept().stamp, kept().kinds]).toEqual([stamp, "search"]);
    }
  },
);
