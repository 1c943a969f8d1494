// The simulated file system against the real one: random sequences of operations give the same answers and leave the same tree.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeFiles } from "../../adapters/node/files.ts";
import { unwrap } from "../../base/result.ts";
import type { FileHandle, Files } from "../../host/files.ts";
import { bytes, text } from "../contract/under-test.ts";
import { simHost } from "./host.ts";

const runs = 100;
/** Fixed, so that the suite passes or fails for everybody alike; another number searches elsewhere. */
const searchSeed = 1;
const stepsMax = 15;
/** Links to `..` let a sequence climb, each by one directory: it cannot leave the test's own. */
const climbsMax = stepsMax + 1;

const path = fc.constantFrom("a", "b", "d", "d/a", "d/e", "d/e/a", "l", "l/a", "d/l", "d/../a", "none/a");
const target = fc.constantFrom("a", "d", "../a", "l", "d/e", "nowhere", "..");

const step = fc.oneof(
  fc.record({
    op: fc.constant("write" as const),
    path,
    content: fc.string({ maxLength: 8 }),
    executable: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({
    op: fc.constant("copy" as const),
    path,
    to: path,
    executable: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({ op: fc.constant("rename" as const), path, to: path }),
  fc.record({ op: fc.constant("makeLink" as const), path, target }),
  fc.record({ op: fc.constant("setExecutable" as const), path, executable: fc.boolean() }),
  fc.record({ op: fc.constantFrom("append" as const, "create" as const), path, content: fc.string({ maxLength: 8 }) }),
  fc.record({
    op: fc.constantFrom(
      "read" as const,
      "remove" as const,
      "claimDirectory" as const,
      "makeDirectory" as const,
      "list" as const,
      "stat" as const,
      "readLink" as const,
      "realPath" as const,
      "syncDirectory" as const,
    ),
    path,
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("the same operations have the same outcome on the simulated disk and the real one", async () => {
  const sequences = fc.array(step, { minLength: 1, maxLength: stepsMax });
  await fc.assert(
    fc.asyncProperty(sequences, fc.integer(), async (steps, seed) => {
      const real = mkdtempSync(join(tmpdir(), "skein-sim-"));
      const deep = join(real, ...Array<string>(climbsMax).fill("deep"));
      try {
        const sim = simHost({ seed });
        for (const files of [sim.files, nodeFiles]) unwrap(await files.makeDirectory(deep), "make");
        expect(await outcomes(sim.files, deep, steps)).toEqual(await outcomes(nodeFiles, deep, steps));
      } finally {
        rmSync(real, { recursive: true, force: true });
      }
    }),
    { numRuns: runs, seed: searchSeed },
  );
});

async function outcomes(files: Files, root: string, steps: readonly Step[]): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const each of steps) results.push([each, simplify(await perform(files, root, each))]);
  return [...results, await treeOf(files, root)];
}

function perform(files: Files, root: string, each: Step): Promise<Awaited<ReturnType<Files[keyof Files]>>> {
  const at = `${root}/${each.path}`;
  switch (each.op) {
    case "write":
      return files.write(at, bytes(each.content), each.executable === undefined ? {} : { executable: each.executable });
    case "copy":
      return files.copy(at, `${root}/${each.to}`, each.executable === undefined ? {} : { executable: each.executable });
    case "rename":
      return files.rename(at, `${root}/${each.to}`);
    case "makeLink":
      return files.makeLink(each.target, at);
    case "setExecutable":
      return files.setExecutable(at, each.executable);
    case "append":
    case "create":
      return appendTo(files, at, each.op, each.content);
    case "read":
      return files.read(at, 6);
    case "list":
      return files.list(at, 3);
    default:
      return files[each.op](at);
  }
}

async function appendTo(
  files: Files,
  at: string,
  mode: "append" | "create",
  content: string,
): ReturnType<FileHandle["append"]> {
  const opened = await files.open(at, mode);
  if (!opened.ok) return opened;
  const appended = await opened.value.append([bytes(content)]);
  await opened.value.close();
  return appended;
}

/** Messages, ctimes and the sizes of directories belong to the system; everything else must agree. */
function simplify(result: Awaited<ReturnType<typeof perform>>): unknown {
  if (!result.ok) return result.error.code;
  const { value } = result;
  if (value instanceof Uint8Array) return text(value);
  if (typeof value !== "object" || !("changedMs" in value)) return value;
  return value.kind === "file" ? { ...value, changedMs: 0 } : value.kind;
}

async function treeOf(files: Files, directory: string): Promise<unknown> {
  const entries = await files.list(directory, 100);
  if (!entries.ok) return entries.error.code;
  const lines: unknown[] = [];
  for (const { name, kind } of entries.value) {
    const at = `${directory}/${name}`;
    if (kind === "directory") lines.push([name, await treeOf(files, at)]);
    else if (kind === "symlink") lines.push([name, await files.readLink(at)]);
    else lines.push([name, simplify(await files.stat(at)), simplify(await files.read(at, 100))]);
  }
  return lines;
}
