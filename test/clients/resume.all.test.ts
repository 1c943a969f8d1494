// Sessions that go on in a new process by a resume.

import { expect, test } from "vitest";
import { eventually } from "../support/skein.ts";
import { startFakeModel } from "./fake-model.ts";
import { opencode } from "./others/opencode.ts";
import { pi } from "./others/pi.ts";
import { installed, makePlace, type Place } from "./place.ts";
import { askedAgain, requestsOf, type Session, told } from "./seen.ts";
import { scripted, startClient } from "./sessions.ts";

const programs = installed();

test.each([
  ["opencode", "waiting", opencode, ["opencode", "run", "--format", "json", "--continue"]],
  ["pi", "ended", pi, ["pi", "-p", "--mode", "json", "--continue"]],
] as const)(
  "P11 a session of %s that is over (%s) and resumed is told again, and stays one row",
  async (client, over, other, again) => {
    const held = Promise.withResolvers<void>();
    let directory = "";
    await using model = await startFakeModel((request) => scripted(request, { directory, held: held.promise }));
    using place = makePlace(programs, model.port, [other]);
    directory = place.repository;
    place.run("skein", "install", client, "codex", "--yes");
    const first = startClient(place, "codex", "FIRST-TASK add the greeting");
    await askedAgain(model, "FIRST-TASK", first);
    const begun = other.start(place, "FOURTH-TASK look around");
    expect([await begun.ended, begun.output()]).toEqual([0, expect.anything()]);
    // Also what it told while it was ending has arrived.
    const state = () => sessions(place, "--all").find((one) => one.client === client)?.state;
    await eventually(`the first is ${over}`, () => (state() === over ? true : null));
    const [program, ...args] = again;
    const resumed = place.start(program, ...args, "FIFTH-TASK look again");
    expect([await resumed.ended, resumed.output()]).toEqual([0, expect.anything()]);
    const [request] = requestsOf(model, "FIFTH-TASK");
    expect(request?.user).toContain("FOURTH-TASK");
    expect(request && told(request).block).toMatch(/intent: "FIRST-TASK add the greeting"\n {2}edited: greeting\.txt/);
    expect(clients(place, "--all")).toEqual(["codex", client].sort());
    await first.kill();
  },
);

function sessions(place: Place, ...flags: readonly string[]): readonly Session[] {
  return JSON.parse(place.run("skein", "who", "--json", ...flags)).sessions;
}

function clients(place: Place, ...flags: readonly string[]): readonly string[] {
  return sessions(place, ...flags)
    .map(({ client }) => client)
    .sort();
}
