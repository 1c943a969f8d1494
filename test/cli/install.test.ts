// `skein install` and `uninstall` as a person runs them: nothing without a yes, and words for everything that is refused.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { bundle, eventually, lastJson, skein } from "../support/skein.ts";
import { hasTmux, terminal } from "../support/tmux.ts";

const key = "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5";
const own = `{\n  "model": "opus",\n  "env": { "ANTHROPIC_API_KEY": "${key}" }\n}\n`;

/** A home with Claude Code's settings, and its command on the PATH. */
function withClaude(box: Sandbox): { readonly settings: string; readonly env: Readonly<Record<string, string>> } {
  const bin = join(box.root, "bin");
  for (const path of [bin, join(box.home, ".claude")]) mkdirSync(path);
  writeFileSync(join(bin, "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n");
  chmodSync(join(bin, "claude"), 0o755);
  const settings = join(box.home, ".claude", "settings.json");
  writeFileSync(settings, own);
  return { settings, env: { PATH: `${bin}:${box.env.PATH}` } };
}

test("P26 where nobody can be asked it shows the change and makes none; with --yes it makes it, and takes it back", async () => {
  using box = sandbox();
  const { settings, env } = withClaude(box);
  const shown = await skein(box, { args: ["install"], env });
  expect([shown.exitCode, shown.stdout]).toEqual([
    1,
    expect.stringMatching(/\n\+ {2}"hooks": \{[\s\S]*nothing was changed\nadd --yes to write it\n$/),
  ]);
  expect([readFileSync(settings, "utf8"), existsSync(join(box.home, ".local"))]).toEqual([own, false]);
  expect([shown.stdout.includes(key), shown.stdout.includes('"ANTHROPIC_API_KEY": "[redacted]')]).toEqual([
    false,
    true,
  ]);

  const installed = await skein(box, { args: ["install", "claude-code", "--yes", "--json"], env });
  expect([installed.exitCode, lastJson(installed)]).toEqual([
    0,
    {
      clients: [
        {
          client: "claude-code",
          state: "installed",
          path: settings,
          events: expect.arrayContaining(["SessionStart", "Stop"]),
          leftOut: [],
          error: null,
        },
      ],
    },
  ]);
  const removed = await skein(box, { args: ["uninstall", "--yes"], env });
  expect([removed.exitCode, removed.stdout]).toEqual([
    0,
    expect.stringMatching(/taken out of .*settings\.json\n.*taken out of .*\.claude\.json\nthe launcher is removed/),
  ]);
  expect([readFileSync(settings, "utf8"), existsSync(join(box.home, ".local", "share", "skein"))]).toEqual([
    own,
    false,
  ]);
});

test("P27 a file that is no JSON is refused by name, with what to do", async () => {
  using box = sandbox();
  const { settings, env } = withClaude(box);
  writeFileSync(settings, "{\n  // mine\n}\n");
  const refused = await skein(box, { args: ["install", "--yes", "--json"], env });
  const what = `${settings}: InvalidCommentToken at line 2, column 3`;
  expect([refused.exitCode, lastJson(refused), refused.stderr]).toEqual([
    1,
    { clients: [{ client: "claude-code", state: "refused", path: null, events: [], leftOut: [], error: what }] },
    `skein: ${what}\n  the file was left as it is; mend it, then try again\n`,
  ]);
  expect(readFileSync(settings, "utf8")).toBe("{\n  // mine\n}\n");
});

test("a client that is not known is bad input", async () => {
  using box = sandbox();
  const refused = await skein(box, { args: ["install", "vim"] });
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/Allowed choices are claude-code, codex/),
  ]);
});

test.skipIf(!hasTmux)("a person at a terminal is asked", async () => {
  using box = sandbox();
  const { settings, env } = withClaude(box);
  const command = `PATH='${env.PATH}' '${process.execPath}' '${bundle}' install; sleep 60`;
  using screen = terminal(box, { columns: 100, rows: 30, command });
  const ask = () => (screen.lines().some((line) => line.includes('type "yes" to write this:')) ? true : null);
  await eventually("it asks", ask);
  expect(readFileSync(settings, "utf8")).toBe(own);
  screen.type("yes");
  screen.type("Enter");
  await eventually("it writes", () => (readFileSync(settings, "utf8") === own ? null : true));
});
