// A git history larger than one batch of the log, through the real program: it comes in whole, and of an import that is killed in the
// middle nothing is shown. Git's own reading of the repository is the measure.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { checkStore } from "../../src/app/store-fsck.ts";
import { openVcsView } from "../../src/app/vcs-store.ts";
import { unwrap } from "../../src/base/result.ts";
import { framePayloadBytesMax } from "../../src/log/limits.ts";
import { seededRandom } from "../../src/testing/sim/random.ts";
import { treeId } from "../../src/vcs/tree-id.ts";
import { sandbox } from "../support/sandbox.ts";
import { lastJson, skein, startSkein } from "../support/skein.ts";

const commits = 4_300;
/** As many characters of a message as an import takes. */
const messageBytes = 16_000;
const kills = 2;

/** One file that counts, and messages of the largest size. */
function makeLargeHistory(repository: string): void {
  mkdirSync(repository);
  execFileSync("git", ["init", "-q", "--initial-branch=main"], { cwd: repository });
  const parts: string[] = [];
  for (let number = 0; number <= commits; number += 1) {
    const [text, message] = [`${number}\n`, `Count ${number}`.padEnd(messageBytes, " and on")];
    parts.push(`commit refs/heads/main\ncommitter c <c@localhost> ${1_700_000_000 + number} +0000\n`);
    parts.push(`data ${message.length}\n${message}\nM 100644 inline count\ndata ${text.length}\n${text}\n`);
  }
  execFileSync("git", ["fast-import", "--quiet"], { cwd: repository, input: parts.join("") });
}

function segmentBytes(store: string): number {
  try {
    const directory = join(store, "segments");
    return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  } catch {
    return 0;
  }
}

test("S20 a history of more than 64 MiB comes in whole, and of an import that is killed nothing is shown", async () => {
  using place = sandbox();
  const [repository, store] = [join(place.root, "repository"), join(place.root, "store")];
  makeLargeHistory(repository);
  const args = ["vcs", "import", "--store", store, "--repo", repository, "--history", "--json"];
  const random = seededRandom(5, "kills");
  let ends = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const started = startSkein(place, { args });
    const enough = segmentBytes(store) + 1024 * 1024 + random.unit() * 40 * 1024 * 1024;
    while (started.child.exitCode === null && segmentBytes(store) < enough) await delay(2);
    started.kill("SIGKILL");
    await started.ended;
    const view = unwrap(await openVcsView(nodeHost(), store), "read");
    let shown = 0;
    for await (const _ of view.vcs.history()) shown += 1;
    expect([view.vcs.imported(), shown, view.vcs.manifest(view.vcs.head()).size]).toEqual([null, 0, 0]);
    // What is tested is a history that was broken off, and not one that had not begun.
    if (view.ledger.end > 0) ends += 1;
    await view.close();
    expect(unwrap(await checkStore(nodeHost(), store), "check").faults).toEqual([]);
  }
  expect(ends).toBe(kills);

  const done = await skein(place, { args });
  const [tip, tree] = ["main", "main^{tree}"].map((name) =>
    execFileSync("git", ["rev-parse", name], { cwd: repository, encoding: "utf8" }).trim(),
  );
  expect(lastJson(done)).toMatchObject({ commits, files: 1, commit: tip, tree });
  const view = unwrap(await openVcsView(nodeHost(), store), "read");
  const first = Number(view.vcs.imported()?.position);
  const trees: string[] = [];
  let messages = 0;
  for await (const { position, message } of view.vcs.history()) {
    trees.push(treeId(view.vcs.manifest(position), "sha1"));
    messages += message.length;
    expect(Number(position)).toBe(first + trees.length);
  }
  const theirs = execFileSync("git", ["log", "--reverse", "--format=%T", "main"], {
    cwd: repository,
    encoding: "utf8",
  });
  expect(trees).toEqual(theirs.trim().split("\n").slice(1));
  expect(messages).toBeGreaterThan(framePayloadBytesMax);
  await view.close();
  expect(unwrap(await checkStore(nodeHost(), store), "check").faults).toEqual([]);
});
