// What `skein doctor` says of real clients' hooks at each step: not installed, not approved, never seen, seen.

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hooksOfCodex } from "./codex-hooks.ts";
import { startFakeModel } from "./fake-model.ts";
import { codexConfig, installed, makePlace, type Place } from "./place.ts";

const programs = installed();

test("hooks of both clients, from nothing to seen firing; Codex asks its person once, not after a second install", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port);
  expect(hooks(place)).toEqual({ "claude-code hooks": "absent not installed", "codex hooks": "absent not installed" });

  place.run("skein", "install", "--yes");
  expect(hooks(place)).toEqual({
    "claude-code hooks": "absent last seen firing never yet",
    "codex hooks": "absent 12 of 12 are not approved and do not run",
  });
  // Without approval Codex starts none of them, and without a word.
  expect(await runs(place, "codex", "exec", "--json", "hello")).toBe(0);
  expect(JSON.parse(place.run("skein", "who", "--json", "--all")).sessions).toEqual([]);

  await approve(place);
  place.run("skein", "install", "--yes");
  expect(hooks(place)["codex hooks"]).toBe("absent last seen firing never yet");
  expect(await runs(place, "codex", "exec", "--json", "hello")).toBe(0);
  expect(await runs(place, "claude", "-p", "hello")).toBe(0);
  expect(hooks(place)).toEqual({
    "claude-code hooks": expect.stringMatching(/^ok last seen firing 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    "codex hooks": expect.stringMatching(/^ok last seen firing 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
});

test("P26 Codex's hooks go to where its person keeps hooks: tables in config.toml, which run, and go again", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port);
  const path = join(place.home, ".codex", "config.toml");
  const own = `${codexConfig(model.port)}\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"`;
  writeFileSync(path, own);
  place.run("skein", "install", "codex", "--yes");
  const approved = ["--dangerously-bypass-hook-trust", "--json"];
  expect(await runs(place, "codex", "exec", ...approved, "hello")).toBe(0);
  const { sessions } = JSON.parse(place.run("skein", "who", "--json", "--all"));
  expect(sessions).toEqual([expect.objectContaining({ client: "codex", state: "ended" })]);
  place.run("skein", "uninstall", "--yes");
  expect(readFileSync(path, "utf8")).toBe(own);
});

test("a project's own settings: the hooks of everybody who has skein, and of nobody else", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port);
  place.run("skein", "install", "claude-code", "--project", "--yes");
  expect(await runs(place, "claude", "-p", "hello")).toBe(0);
  const listed = () => JSON.parse(place.run("skein", "who", "--json", "--all")).sessions;
  expect(listed()).toEqual([expect.objectContaining({ client: "claude-code", state: "ended" })]);
  // A colleague's machine.
  rmSync(join(place.home, ".local", "share", "skein"), { recursive: true });
  expect(await runs(place, "claude", "-p", "hello")).toBe(0);
  expect(listed().length).toBe(1);
});

async function runs(place: Place, program: string, ...args: readonly string[]): Promise<number | null> {
  return place.start(program, ...args).ended;
}

/** State and the detail's last part, by name. */
function hooks(place: Place): Readonly<Record<string, string>> {
  const { findings } = JSON.parse(place.run("skein", "doctor", "--json")) as {
    readonly findings: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
  };
  const ours = findings.filter(({ name }) => name.endsWith(" hooks") || name.startsWith("hook "));
  return Object.fromEntries(ours.map(({ name, state, detail }) => [name, `${state} ${detail.split(/[;:] /).at(-1)}`]));
}

/** What a person does with /hooks, in a home that is thrown away. */
async function approve(place: Place): Promise<void> {
  const states = (await hooksOfCodex(place)).map(
    ({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
  );
  appendFileSync(join(place.home, ".codex", "config.toml"), states.join(""));
}
