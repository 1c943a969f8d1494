// Where records are kept and how long: sessions that move, hosts that share a directory, and the dead that are cleaned away.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import { deadKeptMs } from "./clean-up.ts";
import { repositoryKey, sessionKey } from "./ids.ts";

const started = { kind: "session-started", source: "startup" } as const;

test("only the long dead are removed, with their pointers; the live, the doubtful and the lately dead stay", async () => {
  using rig = new PresenceRig();
  const here = rig.processes.here;
  const [live, dead] = [rig.session("live"), rig.session("dead")];
  await live.fire({ kind: "prompt", text: "a very long turn", byPerson: true });
  await dead.fire(started);
  await dead.fire({ kind: "subagent-started", agentType: null }, { agent: "child" });
  rig.processes.here = { ...here, namespace: "pid:[9]" };
  await rig.session("container").fire(started);
  rig.processes.here = here;
  rig.processes.end(dead.pid);
  rig.now += deadKeptMs;
  const late = rig.session("late");
  await late.fire(started);
  rig.processes.end(late.pid);
  rig.now += 5_000;
  await rig.session("cleaner").fire(started);
  const names = (path: string) =>
    readdirSync(path)
      .map((name) => name.split("_")[1])
      .toSorted();
  const [repository] = await Promise.all([repositoryKey(rig.repository)]);
  const kept = ["cleaner", "container", "late", "live"];
  expect([names(join(rig.state, "presence", repository)), names(join(rig.state, "presence", ".at"))]).toEqual([
    kept,
    kept,
  ]);
});

test("P32: two hosts that share the directory write different files, even for one session's id", async () => {
  using rig = new PresenceRig();
  const here = rig.processes.here;
  const session = rig.session("same-id");
  await session.fire({ kind: "files-edited", paths: ["a.txt"] });
  rig.processes.here = { ...here, host: "other", boot: "boot-9" };
  await session.fire({ kind: "files-edited", paths: ["b.txt"] });
  rig.processes.here = here;
  const rows = await rig.rows();
  expect(
    rows
      .map(({ facts, liveness, files }) => [facts.machine.host, liveness.kind, files.map(({ path }) => path)])
      .toSorted(),
  ).toEqual([
    ["desk", "live", ["a.txt"]],
    ["other", "unknown", ["b.txt"]],
  ]);
  expect([...rig.lines().values()].map(({ length }) => length)).toEqual([1, 1]);
});

test("a session that starts again in another repository moves there, and the old record says so", async () => {
  using rig = new PresenceRig();
  const other = join(rig.root, "elsewhere");
  mkdirSync(other);
  const session = rig.session("s");
  await session.fire({ kind: "files-edited", paths: ["a.txt"] });
  // Looking into another directory does not move it.
  await session.fire({ kind: "seen" }, { cwd: other });
  expect((await rig.rows(other)).length).toBe(0);
  await session.fire({ kind: "session-started", source: "resume" }, { cwd: other });
  const state = async (at: string) => (await rig.rows(at)).map(({ state }) => state);
  expect([await state(rig.repository), await state(other)]).toEqual([
    [{ kind: "ended", reason: "it went on in another repository" }],
    [{ kind: "waiting", reason: "a prompt" }],
  ]);
});

test("a record that was cleaned away is made again by the next event", async () => {
  using rig = new PresenceRig();
  const session = rig.session("s");
  await session.fire(started);
  const [found] = (await rig.look()).sessions;
  if (found !== undefined) await rig.registry.forget(found, "x");
  expect(existsSync(found?.directory ?? "")).toBe(false);
  await session.fire({ kind: "files-edited", paths: ["a.txt"] });
  expect((await rig.rows()).map(({ session: id, files }) => [id, files.map(({ path }) => path)])).toEqual([
    ["s", ["a.txt"]],
  ]);
});

test("ids of any form become names that stay in their directory, and different ids different names", () => {
  const ids = ["..", "../../etc", "a/b", "a b", "a:b", "", "é", "a".repeat(500), "-x", ".at", "CON"];
  const names = ids.map((session) => sessionKey({ client: "codex", session, agent: null, host: "h" }));
  expect(
    names.filter((name) => !/^codex_[A-Za-z0-9][A-Za-z0-9.-]*_[0-9a-f]{8}$/.test(name) || name.length > 100),
  ).toEqual([]);
  expect(new Set(names).size).toBe(ids.length);
  expect(sessionKey({ client: "codex", session: "s", agent: "a", host: "h" })).toMatch(/^codex_s\+a_/);
});

test("the same host, name and path always give the same names", () => {
  expect([repositoryKey("/home/jo/my repo/.git"), repositoryKey("/srv/project/.bare"), repositoryKey("/")]).toEqual([
    expect.stringMatching(/^my-repo-[0-9a-f]{16}$/),
    expect.stringMatching(/^project-[0-9a-f]{16}$/),
    expect.stringMatching(/^[0-9a-f]{16}$/),
  ]);
});

test("a reader's cache changes nothing of what is seen: used, out of date, of another version, broken", async () => {
  using rig = new PresenceRig();
  for (let index = 0; index < 12; index++)
    await rig.session(`s${index}`).fire({ kind: "files-edited", paths: [`f${index}.txt`] });
  const seen = async () => {
    const rows = await rig.rows();
    return rows.map(({ session, files }) => `${session} ${files.map(({ path }) => path).join()}`).toSorted();
  };
  const before = await seen();
  await (await rig.look()).remember("x");
  const cache = join(rig.state, "presence", repositoryKey(rig.repository), ".folds.json");
  const written = readFileSync(cache, "utf8");
  const cached = await seen();
  await rig.session("s3", { pid: 103 }).fire({ kind: "files-edited", paths: ["later.txt"] });
  const after = await seen();
  expect([cached, after]).toEqual([before, before.map((row) => (row === "s3 f3.txt" ? "s3 later.txt,f3.txt" : row))]);
  const noTimes = written.replaceAll(/"(f\d+\.txt)",\d+/g, '"$1","?"');
  const noPaths = written.replaceAll(/"f\d+\.txt"/g, "7");
  for (const broken of ["{", written.replace(/"v":"[^"]*"/, '"v":"0"').replaceAll(".txt", ".old"), noTimes, noPaths]) {
    expect(broken).not.toBe(written);
    writeFileSync(cache, broken);
    expect(await seen()).toEqual(after);
  }
});
