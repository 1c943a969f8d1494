// Which events go into which version's settings, and the command that stands there.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENT_SETTINGS } from "./all-settings.ts";
import {
  checkCommand,
  forShell,
  HOOKED_CLIENTS,
  isOurCommand,
  projectCommand,
  userCommand,
} from "./launcher-command.ts";
import { isAtLeast, type Version, versionIn } from "./version.ts";

const events = (client: keyof typeof CLIENT_SETTINGS, version: Version | null): readonly string[] =>
  [...new Set(CLIENT_SETTINGS[client].plan(version, "c").entries.map(({ event }) => event))].sort();

test("versions as the clients print them", () => {
  const texts = ["2.1.332 (Claude Code)", "codex-cli 0.171.0", "v1.2", "10.20.30-beta.1", ""];
  expect(texts.map(versionIn)).toEqual([[2, 1, 332], [0, 171, 0], null, [10, 20, 30], null]);
  expect([
    isAtLeast([2, 1, 9], [2, 1, 10]),
    isAtLeast([2, 1, 10], [2, 1, 10]),
    isAtLeast([3, 0, 0], [2, 9, 9]),
  ]).toEqual([false, true, true]);
});

test("only events that the version knows: one unknown name makes an old Claude Code ignore its whole settings", () => {
  const oldest = [
    "Notification",
    "PostToolUse",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
  ];
  expect(events("claude-code", [1, 0, 85])).toEqual(oldest);
  expect(events("claude-code", null)).toEqual(oldest);
  expect(events("claude-code", [1, 0, 38])).toEqual(["Notification", "PostToolUse", "PreToolUse", "Stop"]);
  expect(events("claude-code", [2, 1, 83])).toEqual(
    [...oldest, "CwdChanged", "PermissionRequest", "StopFailure", "SubagentStart"].sort(),
  );
  expect(events("claude-code", [2, 1, 332])).toEqual(
    [...oldest, "CwdChanged", "PermissionRequest", "PostToolUseFailure", "StopFailure", "SubagentStart"].sort(),
  );
});

test("Codex's events by version", () => {
  const oldest = ["PermissionRequest", "PostToolUse", "PreToolUse", "SessionStart", "Stop", "UserPromptSubmit"];
  expect(events("codex", [0, 125, 0])).toEqual(oldest);
  expect(events("codex", null)).toEqual(oldest);
  expect(events("codex", [0, 145, 0])).toEqual(
    [...oldest, "PreCompact", "SessionEnd", "SubagentStart", "SubagentStop"].sort(),
  );
  expect(events("codex", [0, 171, 0])).toEqual(
    [...oldest, "Interrupt", "PreCompact", "SessionEnd", "SubagentStart", "SubagentStop"].sort(),
  );
});

test("the other clients' events: none before a tool in Copilot, where such a hook that fails forbids the tool", () => {
  expect(events("gemini", [0, 61, 0])).toEqual([
    "AfterAgent",
    "AfterTool",
    "BeforeAgent",
    "BeforeTool",
    "Notification",
    "SessionEnd",
    "SessionStart",
  ]);
  const common = ["Notification", "PostToolUse", "PostToolUseFailure", "SessionEnd", "SessionStart", "Stop"];
  const copilot = [...common, "SubagentStart", "SubagentStop", "UserPromptSubmit"];
  expect(events("copilot", [1, 0, 102])).toEqual(copilot.sort());
  expect(events("qwen", [0, 24, 4])).toEqual([...copilot, "PermissionRequest", "PreToolUse", "StopFailure"].sort());
  expect(events("qwen", null)).toEqual(events("qwen", [0, 24, 4]));
});

test("shell commands have entries of their own, which call the launcher with a word more", () => {
  const shellEntries = (client: keyof typeof CLIENT_SETTINGS) => {
    const { entries } = CLIENT_SETTINGS[client].plan([999, 0, 0], userCommand("/d/skein/skein-hook", client));
    const ofShells = entries.filter(({ command }) => command.endsWith(`/skein-hook' ${client} shell`));
    const others = entries.filter(({ command }) => command.endsWith(`/skein-hook' ${client}`));
    expect(ofShells.length + others.length).toBe(entries.length);
    return ofShells.map(({ event, matcher }) => `${event} ${matcher}`);
  };
  expect(shellEntries("claude-code")).toEqual(["PreToolUse Bash", "PostToolUse Bash", "PostToolUseFailure Bash"]);
  expect(shellEntries("codex")).toEqual(["PreToolUse ^Bash$", "PostToolUse ^Bash$"]);
  expect(shellEntries("gemini")).toEqual(["BeforeTool ^run_shell_command$", "AfterTool ^run_shell_command$"]);
  expect(shellEntries("qwen")).toEqual([
    "PreToolUse ^run_shell_command$",
    "PostToolUse ^run_shell_command$",
    "PostToolUseFailure ^run_shell_command$",
  ]);
  expect(shellEntries("cursor")).toEqual(["preToolUse Shell", "postToolUse Shell", "postToolUseFailure Shell"]);
  expect(shellEntries("copilot")).toEqual([]);
  const commands = [userCommand("/d/skein/skein-hook", "codex"), projectCommand("codex")];
  expect(commands.map((command) => checkCommand(forShell(command)))).toEqual(commands.map(checkCommand));
  expect(commands.map((command) => checkCommand(command)?.includes(" --check"))).toEqual([true, true]);
  expect([isOurCommand(`${commands[0]} other`), isOurCommand(`${commands[0]} shell shell`)]).toEqual([false, false]);
});

test("hooks that are switched off in the other clients' settings", () => {
  const off = (client: keyof typeof CLIENT_SETTINGS, text: string) =>
    CLIENT_SETTINGS[client].switchedOff(new Map([["settings.json", text]]));
  const own = userCommand("/d/skein/skein-hook", "gemini");
  expect([
    off("gemini", '{ // off\n "hooksConfig": { "enabled": false } }'),
    off("gemini", JSON.stringify({ hooksConfig: { disabled: ["lint", own] } })),
    off("gemini", '{"hooksConfig":{"enabled":true,"disabled":["lint"]}}'),
    off("gemini", "no JSON"),
    off("qwen", '{ /* off */ "disableAllHooks": true }'),
    off("qwen", "{}"),
  ]).toEqual([
    "hooksConfig.enabled is false",
    "hooksConfig.disabled names ours",
    null,
    null,
    "disableAllHooks is set",
    null,
  ]);
});

test("what is left out is told", () => {
  expect(CLIENT_SETTINGS.codex.plan([0, 135, 0], "c").leftOut).toEqual(["Interrupt", "SessionEnd"]);
});

/** Ends with an error where one does, as `sh -e`. */
const runEach = 'for command do "$0" -c "$command"; printf "\\0"; done';
const shells = ["/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/zsh", "/usr/bin/fish"];

test("P30 the command runs the launcher in any shell, wherever it lies, and does nothing where it is missing", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skein-command-")));
  try {
    const data = join(root, 'it\'s a "$HOME" `dir`');
    const launcher = join(data, "skein", "skein-hook");
    mkdirSync(join(data, "skein"), { recursive: true });
    const found = shells.filter(
      (shell) => execFileSync("/bin/sh", ["-c", `[ -x ${shell} ] && echo yes || true`]).length > 0,
    );
    // Each command in a shell of its own; all of those are started by one, since a start from here costs ten times as much.
    const run = (shell: string, commands: readonly string[]): readonly string[] =>
      execFileSync("/bin/sh", ["-ec", runEach, shell, ...commands], {
        env: { PATH: "/usr/bin:/bin", HOME: root, XDG_DATA_HOME: data },
        encoding: "utf8",
      })
        .split("\0")
        .slice(0, -1);
    const plain = HOOKED_CLIENTS.flatMap((client) => [userCommand(launcher, client), projectCommand(client)]);
    const all = plain.flatMap((command) => [command, forShell(command)]);
    const missing = found.flatMap((shell) => run(shell, all));
    writeFileSync(launcher, '#!/bin/sh\nprintf "%s" "ran $*"\n');
    chmodSync(launcher, 0o755);
    const there = found.flatMap((shell) => run(shell, all));
    expect(found).toContain("/bin/sh");
    expect(missing).toEqual(found.flatMap(() => all.map(() => "")));
    const ran = HOOKED_CLIENTS.flatMap((name) => [`ran ${name}`, `ran ${name} shell`]);
    const twice = HOOKED_CLIENTS.flatMap((_, index) => [0, 1].flatMap(() => ran.slice(index * 2, index * 2 + 2)));
    expect(there).toEqual(found.flatMap(() => twice));
    expect(all.map(isOurCommand)).toEqual(all.map(() => true));
  } finally {
    rmSync(root, { recursive: true });
  }
});
