// The plugins of the package, loaded by the real clients: a second way in, that needs no `skein install` and does nothing beside one.

import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startFakeModel } from "./fake-model.ts";
import { installed, makePlace, type Place, type Running } from "./place.ts";

const programs = installed();
const plugins = join(dirname(realpathSync(programs.skein)), "plugins");

test("P13 P34 Claude Code with the plugin's folder: one session, its hooks once, also beside installed ones", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port);
  const folder = join(plugins, "claude-code");
  await succeeds(place.start("claude", "-p", "Try the plugin alone", "--plugin-dir", folder));
  expect(recorded(place)).toEqual([["claude-code", "Try the plugin alone", "ended"]]);
  expect(kinds(place)).toEqual(["prompt", "session-ended", "session-started", "turn-ended"]);
  place.run("skein", "install", "claude-code", "--yes");
  await succeeds(place.start("claude", "-p", "Try the plugin and settings", "--plugin-dir", folder));
  expect(kinds(place).length).toBe(8);
  expect(recorded(place).length).toBe(2);
});

test("P13 P34 Codex with the plugin from the package's marketplace: one session, its hooks once, also beside installed ones", async () => {
  await using model = await startFakeModel(() => ({ say: "ok" }));
  using place = makePlace(programs, model.port);
  place.run("codex", "plugin", "marketplace", "add", plugins);
  const on = ["-c", "features.plugins=true"];
  place.run("codex", ...on, "plugin", "add", "skein@skein");
  const exec = (prompt: string) =>
    place.start("codex", ...on, "exec", "--json", "--dangerously-bypass-hook-trust", prompt);
  await succeeds(exec("Try the plugin alone"));
  expect(recorded(place)).toEqual([["codex", "Try the plugin alone", "ended"]]);
  expect(kinds(place)).toEqual(["prompt", "session-ended", "session-started", "turn-ended"]);
  place.run("skein", "install", "codex", "--yes");
  await succeeds(exec("Try the plugin and settings"));
  expect(kinds(place).length).toBe(8);
  expect(recorded(place).length).toBe(2);
});

async function succeeds(running: Running): Promise<void> {
  expect([await running.ended, running.output()]).toEqual([0, expect.anything()]);
}

function recorded(place: Place): readonly unknown[] {
  const { sessions } = JSON.parse(place.run("skein", "who", "--json", "--all")) as {
    readonly sessions: readonly {
      readonly client: string;
      readonly state: string;
      readonly intent: { readonly text: string } | null;
    }[];
  };
  return sessions.map(({ client, state, intent }) => [client, intent?.text, state]);
}

/** Of all lines that hooks have written. */
function kinds({ home }: Place): readonly string[] {
  const state = join(home, ".local", "state", "skein", "presence");
  const files = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("events.jsonl"),
  );
  const lines = files.flatMap((name) => readFileSync(join(state, name), "utf8").trimEnd().split("\n"));
  return lines.map((line) => String(JSON.parse(line).kind)).sort();
}
