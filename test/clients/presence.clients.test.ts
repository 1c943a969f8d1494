// Sessions of real clients in one home: each new one is told who is here, at first touch of a file too, and the dead are not among them.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { type FakeModel, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { claudeSettings, codexConfig, installed, makePlace, type Place, type Running } from "./place.ts";
import { type Client, scripted, startClient } from "./sessions.ts";

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

/** The session's own requests, without those for a title or the like. */
function requestsOf(model: FakeModel, task: string): readonly ModelRequest[] {
  return model.requests.filter(({ user, tools }) => user.includes(task) && tools > 0);
}

async function askedAgain(model: FakeModel, task: string, session: Running): Promise<void> {
  const failed = session.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${session.output()}`)));
  failed.catch(() => undefined);
  const asked = eventually(`${task} asks again`, () => requestsOf(model, task).find(({ turn }) => turn > 0) ?? null);
  await Promise.race([asked, failed]);
}

/** What of ours has reached the model with this request. */
function told({ body }: ModelRequest): { readonly block: string | null; readonly touches: readonly string[] } {
  const texts = textsIn(JSON.parse(body));
  const blocks = texts.flatMap((text) => /Other agent sessions in this repository[\s\S]*/.exec(text) ?? []);
  const touches = texts.flatMap((text) => text.match(/Session (?:claude-code|codex) \S+ edited .*/g) ?? []);
  return { block: blocks.length === 0 ? null : blocks.join("\n\n"), touches };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

interface Session {
  readonly client: Client;
  readonly liveness: string;
  readonly state: string;
  readonly intent: { readonly text: string } | null;
  readonly files: readonly { readonly path: string }[];
}

function who(place: Place) {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json")) as { readonly sessions: readonly Session[] };
  return sessions.map(({ client, liveness, state, intent, files }) => ({
    client,
    liveness,
    state,
    intent: intent?.text ?? null,
    files: files.map(({ path }) => path),
  }));
}
