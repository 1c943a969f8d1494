// Which clients are on this machine, and where their settings are: by their variables, below home, and under which name in a project.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { CLIENT_SETTINGS } from "../../clients/all-settings.ts";
import type { HookedClient } from "../../clients/launcher-command.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Scope, settingsDirectory } from "./places.ts";
import { clientsHere } from "./plan.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-places-")));
  mkdirSync(join(root, "repository", ".git"), { recursive: true });
  for (const name of ["repository/src", "home", "bin"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true }));

function around(env: Readonly<Record<string, string>> = {}): Surroundings {
  return {
    host: nodeHost(),
    env: { HOME: join(root, "home"), PATH: `${join(root, "bin")}:/usr/bin:/bin`, ...env },
    cwd: join(root, "repository", "src"),
    processId: 1,
    platform: process.platform,
    packageRoot: root,
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: root,
  };
}

async function pathOf(client: HookedClient, scope: Scope, env: Readonly<Record<string, string>> = {}) {
  const { files } = CLIENT_SETTINGS[client];
  const directory = await settingsDirectory(around(env), CLIENT_SETTINGS[client], scope);
  return directory.ok ? join(directory.value, files[0].name).replace(root, "") : directory.error.kind;
}

test.each([
  ["claude-code", "CLAUDE_CONFIG_DIR", ".claude/settings.json", "/v/settings.json", ".claude/settings.json"],
  ["codex", "CODEX_HOME", ".codex/hooks.json", "/v/hooks.json", ".codex/hooks.json"],
  ["gemini", "GEMINI_CLI_HOME", ".gemini/settings.json", "/v/.gemini/settings.json", ".gemini/settings.json"],
  ["qwen", "QWEN_HOME", ".qwen/settings.json", "/v/settings.json", ".qwen/settings.json"],
  ["copilot", "COPILOT_HOME", ".copilot/hooks/skein.json", "/v/hooks/skein.json", ".github/hooks/skein.json"],
  [
    "opencode",
    "XDG_CONFIG_HOME",
    ".config/opencode/plugin/skein.js",
    "/v/opencode/plugin/skein.js",
    ".opencode/plugin/skein.js",
  ],
  ["pi", "PI_CODING_AGENT_DIR", ".pi/agent/extensions/skein.ts", "/v/extensions/skein.ts", ".pi/extensions/skein.ts"],
] as const)("%s: its user's below home or by %s, and a project's", async (client, name, inHome, moved, project) => {
  expect([
    await pathOf(client, "user"),
    await pathOf(client, "user", { [name]: join(root, "v") }),
    await pathOf(client, "user", { [name]: "not/absolute" }),
    await pathOf(client, "project", { [name]: join(root, "v") }),
  ]).toEqual([`/home/${inHome}`, moved, `/home/${inHome}`, `/repository/${project}`]);
});

test("Cursor's are moved by no variable", async () => {
  expect([await pathOf("cursor", "user"), await pathOf("cursor", "project")]).toEqual([
    "/home/.cursor/hooks.json",
    "/repository/.cursor/hooks.json",
  ]);
});

function command(name: string, version: string): void {
  writeFileSync(join(root, "bin", name), `#!/bin/sh\n[ "$1" = --version ] && echo '${version}'\n`);
  chmodSync(join(root, "bin", name), 0o755);
}

test("clients that are here: by their command or their settings", async () => {
  command("claude", "2.1.332 (Claude Code)");
  expect(await clientsHere(around(), [])).toEqual({ ok: true, value: ["claude-code"] });
  mkdirSync(join(root, "home", ".codex"));
  expect(await clientsHere(around(), [])).toEqual({ ok: true, value: ["claude-code", "codex"] });
  rmSync(join(root, "home", ".codex"), { recursive: true });
  rmSync(join(root, "bin", "claude"));
  expect(await clientsHere(around(), [])).toEqual({ ok: false, error: { kind: "no-clients" } });
});

test("all: those that are here, and with a name also that one", async () => {
  mkdirSync(join(root, "home", ".qwen"));
  command("gemini", "0.61.0");
  expect(await clientsHere(around(), ["all"])).toEqual({ ok: true, value: ["gemini", "qwen"] });
  expect(await clientsHere(around(), ["copilot", "all"])).toEqual({ ok: true, value: ["copilot", "gemini", "qwen"] });
  expect(await clientsHere(around(), ["copilot"])).toEqual({ ok: true, value: ["copilot"] });
});
