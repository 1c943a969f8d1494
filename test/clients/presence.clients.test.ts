// Sessions of real clients in one home: each new one is told who is here, at first touch of a file too, and the dead are not among them.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeModel } from "./fake-model.ts";
import { claudeSettings, codexConfig, installed, makePlace } from "./place.ts";
import { askedAgain, requestsOf, type Session, told, who } from "./seen.ts";
import { scripted, startClient } from "./sessions.ts";

const programs = installed();
const otherOf = { "claude-code": "codex", codex: "claude-code" } as const;

test.each(["claude-code", "codex"] as const)(
  "P25 a first session of %s, alive in mid-turn, is known to the next until it is killed",
  async (client) => {
    const held = Promise.withResolvers<void>();
    let directory = "";
    await using model = await startFakeModel((request) => scripted(request, { directory, held: held.promise }));
    using place = makePlace(programs, model.port);
    directory = place.repository;
    place.run("skein", "install", "--yes");
    expect(who(place)).toEqual([]);

    // In mid-turn: one file is edited, and the model thinks.
    const first = startClient(place, client, "FIRST-TASK add the greeting");
    await askedAgain(model, "FIRST-TASK", first);
    const alive = {
      client,
      liveness: "live",
      state: "working",
      intent: "FIRST-TASK add the greeting",
      files: ["greeting.txt"],
    };
    expect(who(place)).toEqual([alive]);

    for (const [task, next] of [
      ["SECOND-TASK", client],
      ["THIRD-TASK", otherOf[client]],
    ] as const) {
      const session = startClient(place, next, `${task} change the greeting`);
      expect([task, await session.ended, session.output()]).toEqual([task, 0, expect.anything()]);
      const requests = requestsOf(model, task);
      expect([task, requests.map(told).at(0)]).toEqual([
        task,
        {
          block: expect.stringMatching(
            `- ${client} .*\\n  intent: "FIRST-TASK add the greeting"\\n  edited: greeting\\.txt`,
          ),
          touches: [],
        },
      ]);
      // It edits the file twice.
      expect([task, requests.map(told).at(-1)?.touches]).toEqual([
        task,
        [expect.stringMatching(`^Session ${client} \\S+ edited greeting\\.txt at .*FIRST-TASK`)],
      ]);
      expect(who(place)).toEqual([alive]);
    }
    expect(readFileSync(join(place.repository, "greeting.txt"), "utf8")).toBe(
      "hello\nSECOND-TASK two\nTHIRD-TASK two\n",
    );

    await first.kill();
    expect(who(place)).toEqual([]);
    const last = startClient(place, otherOf[client], "FOURTH-TASK look around");
    expect([await last.ended, last.output()]).toEqual([0, expect.anything()]);
    expect(requestsOf(model, "FOURTH-TASK").map(told)).toEqual([{ block: null, touches: [] }]);
    expect(requestsOf(model, "FOURTH-TASK").filter(({ body }) => body.includes("FIRST-TASK"))).toEqual([]);

    place.run("skein", "uninstall", "--yes");
    expect(readFileSync(join(place.home, ".claude", "settings.json"), "utf8")).toBe(claudeSettings);
    expect(readFileSync(join(place.home, ".codex", "config.toml"), "utf8")).toBe(codexConfig(model.port));
    expect(existsSync(join(place.home, ".codex", "hooks.json"))).toBe(false);
    expect(existsSync(join(place.home, ".local", "share", "skein"))).toBe(false);
    expect(model.outside).toEqual([]);
  },
);

test("P11 a session that is resumed is told again, and stays one row", async () => {
  const held = Promise.withResolvers<void>();
  let directory = "";
  await using model = await startFakeModel((request) => scripted(request, { directory, held: held.promise }));
  using place = makePlace(programs, model.port);
  directory = place.repository;
  place.run("skein", "install", "--yes");
  const first = startClient(place, "codex", "FIRST-TASK add the greeting");
  const other = startClient(place, "claude-code", "FOURTH-TASK look around");
  expect([await other.ended, other.output()]).toEqual([0, expect.anything()]);
  await askedAgain(model, "FIRST-TASK", first);
  const resumed = place.start("claude", "-p", "FIFTH-TASK look again", "--continue");
  expect([await resumed.ended, resumed.output()]).toEqual([0, expect.anything()]);
  const [request] = requestsOf(model, "FIFTH-TASK");
  expect(request?.user).toContain("FOURTH-TASK");
  expect(request && told(request).block).toMatch(/intent: "FIRST-TASK add the greeting"\n {2}edited: greeting\.txt/);
  const { sessions } = JSON.parse(place.run("skein", "who", "--json", "--all")) as {
    readonly sessions: readonly Session[];
  };
  expect(sessions.map(({ client, state }) => [client, state]).sort()).toEqual([
    ["claude-code", "ended"],
    ["codex", "working"],
  ]);
  await first.kill();
});
