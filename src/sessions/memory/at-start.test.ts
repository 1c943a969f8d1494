// What a start is told where there is more than it may read.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { asRepositoryKey, asSessionKey } from "../presence/ids.ts";
import { memoryAtStart } from "./at-start.ts";
import { memoryIn, noteFile, sessionPlace } from "./places.ts";

test("M9 the agent and its view are told how many sessions were not read, until all are", async () => {
  using place = temporaryDirectory();
  const memory = memoryIn(syncFiles, place.path);
  const repository = asRepositoryKey("repo");
  for (let number = 10; number < 50; number++) {
    const path = noteFile(sessionPlace(memory, repository, asSessionKey(`codex_${number}_h`)), "decisions");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `## 2026-11-30T12:00:00.000Z branch "main"\n> note ${number}\n\n`);
  }
  const reader = {
    repository,
    key: asSessionKey("codex_reader_h"),
    earlier: [],
    branch: "main",
    subagent: null,
    directory: join(place.path, "reader"),
    now: Date.now() + 3_600_000,
    unique: "u",
  };
  const told: (string | undefined)[] = [];
  for (let start = 0; start < 2; start++) {
    const { text, afterwards } = await memoryAtStart(memory, reader, { sessions: 100, filesRead: 30 });
    await afterwards();
    told.push(/merged\.md \((.*)\)$/m.exec(text)?.[1]);
    const view = readFileSync(join(place.path, "reader", "merged.md"), "utf8");
    told.push(/^Not whole: 10 sessions/m.exec(view)?.[0]);
  }
  expect(told).toEqual([
    "30 notes of 30 sessions, 0 open questions; 10 sessions not read yet: `read_memory` reads all",
    "Not whole: 10 sessions",
    "40 notes of 40 sessions, 0 open questions",
    undefined,
  ]);
});
