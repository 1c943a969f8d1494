// Every other client in one home with Claude Code and Codex: it is told who is here, at first touch of a file too, and is seen by others, working,
// waiting and ended, until it is killed.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, type Call, type ModelRequest, startFakeModel } from "./fake-model.ts";
import { OTHER_CLIENTS } from "./others/all-others.ts";
import { copilot } from "./others/copilot.ts";
import type { OtherClient } from "./others/other-client.ts";
import { claudeSettings, codexConfig, installed, makePlace, type Place } from "./place.ts";
import { askedAgain, requestsOf, told, who } from "./seen.ts";
import { type Scene, scripted, startClient } from "./sessions.ts";

const programs = installed();

test.each(OTHER_CLIENTS.map((other) => [other.folder, other] as const))(
  "P25 P34 a first session of %s, alive in mid-turn, is known to the next until it is killed, as itself and once",
  async (_, other) => {
    const { client } = other;
    const held = Promise.withResolvers<void>();
    let directory = "";
    const answer = (request: ModelRequest) => answerOf(request, other, { directory, held: held.promise });
    await using model = await startFakeModel(answer);
    using place = makePlace(programs, model.port, [other]);
    directory = place.repository;
    place.run("skein", "install", "all", "--yes");

    const first = other.start(place, "FIRST-TASK add the greeting");
    await askedAgain(model, "FIRST-TASK", first);
    const intent = "FIRST-TASK add the greeting";
    const alive = { client, liveness: "live", state: "working", intent, files: ["greeting.txt"] };
    expect(who(place)).toEqual([alive]);

    const block = new RegExp(
      `^Other agent sessions.*\\n- ${client} .*\\n  intent: "FIRST-TASK add the greeting"\\n  edited: greeting\\.txt`,
    );
    const touch = new RegExp(`^Session ${client} \\S+ edited greeting\\.txt at .*FIRST-TASK`);
    const second = other.start(place, "SECOND-TASK change the greeting");
    expect([await second.ended, second.output()]).toEqual([0, expect.anything()]);
    const third = startClient(place, "claude-code", "THIRD-TASK change the greeting");
    expect([await third.ended, third.output()]).toEqual([0, expect.anything()]);
    for (const task of ["SECOND-TASK", "THIRD-TASK"]) {
      const requests = requestsOf(model, task).map(told);
      expect([task, requests.at(0)]).toEqual([task, { block: expect.stringMatching(block), touches: [] }]);
      // Told once, though the file is edited twice and every request repeats what was said.
      expect([task, requests.at(-1)?.block?.match(/Other agent sessions/g)?.length]).toEqual([task, 1]);
      expect([task, requests.at(-1)?.touches]).toEqual([task, [expect.stringMatching(touch)]]);
    }
    expect(readFileSync(join(place.repository, "greeting.txt"), "utf8")).toBe(
      "hello\nSECOND-TASK two\nTHIRD-TASK two\n",
    );
    expect(who(place)).toEqual([alive]);
    // The second has told the end of its turn, and its own where it does so.
    const kinds = kindsOf(place, client).find((one) => one.includes("turn-ended"));
    expect(kinds?.filter((kind) => ["session-started", "turn-ended", "session-ended"].includes(kind))).toEqual([
      "session-started",
      "turn-ended",
      ...(other.tellsEnd ? ["session-ended"] : []),
    ]);
    expect(
      listed(place)
        .map((one) => one.client)
        .sort(),
    ).toEqual(["claude-code", client, client].sort());

    const { findings } = JSON.parse(place.run("skein", "doctor", "--json"));
    expect(findings).toContainEqual(expect.objectContaining({ name: `${client} hooks`, state: "ok" }));

    await first.kill();
    expect(who(place)).toEqual([]);
    const last = other.start(place, "FOURTH-TASK look around");
    expect([await last.ended, last.output()]).toEqual([0, expect.anything()]);
    const lastRequests = requestsOf(model, "FOURTH-TASK");
    expect(lastRequests.length).toBeGreaterThan(0);
    expect(lastRequests.map(told)).toEqual(lastRequests.map(() => ({ block: null, touches: [] })));

    place.run("skein", "uninstall", "all", "--yes");
    const original = {
      ...other.files(model.port),
      ".claude/settings.json": claudeSettings,
      ".codex/config.toml": codexConfig(model.port),
    };
    for (const [path, text] of Object.entries(original))
      expect([path, readFileSync(join(place.home, path), "utf8")]).toEqual([path, text]);
    expect(existsSync(join(place.home, ".local", "share", "skein"))).toBe(false);
    expect(model.outside.filter((host) => other.asksOutside?.test(host) !== true)).toEqual([]);
  },
);

test("P34 Copilot through a repository's settings of Claude Code, alone and beside its own hooks: itself, each event once", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port, [{ ...copilot, files: () => ({}) }]);
  const runs = async (): Promise<void> => {
    const session = copilot.start(place, "look around in this repository");
    expect([await session.ended, session.output()]).toEqual([0, expect.anything()]);
  };
  const once = ["session-started", "prompt", "turn-ended", "session-ended"].sort();
  place.run("skein", "install", "claude-code", "--project", "--yes");
  await runs();
  expect(listed(place).map(({ client }) => client)).toEqual(["copilot"]);
  expect(kindsOf(place, "copilot").map((kinds) => kinds.toSorted())).toEqual([once]);
  place.run("skein", "install", "copilot", "--yes");
  await runs();
  expect(listed(place).map(({ client }) => client)).toEqual(["copilot", "copilot"]);
  expect(kindsOf(place, "copilot").map((kinds) => kinds.toSorted())).toEqual([once, once]);
});

/** As `scripted`, in the tools of the client that asks. */
function answerOf(request: ModelRequest, other: OtherClient, scene: Scene): Answer {
  if (!request.body.includes(other.ownTool)) return scripted(request, scene);
  const path = join(scene.directory, "greeting.txt");
  const change = (task: string): readonly Call[] => [
    ...other.edit(path, task, `${task} one`),
    ...other.edit(path, `${task} one`, `${task} two`),
  ];
  const calls: Readonly<Record<string, readonly Call[]>> = {
    "FIRST-TASK": [other.write(path, "hello\nSECOND-TASK\nTHIRD-TASK\n")],
    "SECOND-TASK": change("SECOND-TASK"),
  };
  const task = Object.keys(calls).find((name) => request.user.includes(name));
  if (task === undefined || request.tools === 0) return { say: "ok" };
  const call = calls[task]?.[request.turn];
  if (call !== undefined) return { calls: [call] };
  return task === "FIRST-TASK" ? { say: "Added.", after: scene.held } : { say: "Changed." };
}

/** What happened in each recorded session of a client, in its order. */
function kindsOf({ home }: Place, client: string): readonly (readonly string[])[] {
  const root = join(home, ".local", "state", "skein", "presence");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("events.jsonl"),
  );
  const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
  const own = texts.filter((text) => text.includes(`"client":"${client}"`));
  return own.map((text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => String(JSON.parse(line).kind)),
  );
}

function listed(place: Place): readonly { readonly client: string }[] {
  return JSON.parse(place.run("skein", "who", "--json", "--all")).sessions;
}
