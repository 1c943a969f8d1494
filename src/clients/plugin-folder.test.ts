// The folders of plugins: what is in them, and which launcher their hooks get to.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claudeCodePlugin } from "./claude-code/plugin.ts";
import { codexPlugin } from "./codex/plugin.ts";
import { PLUGIN_HOOK_NAME, pluginFolder } from "./plugin-folder.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-plugin-folder-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string, executable = false): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (executable) chmodSync(path, 0o755);
}

test.each([
  [claudeCodePlugin, ".claude/settings.json", "CLAUDE_PLUGIN_ROOT", ".claude-plugin/plugin.json"],
  [codexPlugin, ".codex/hooks.json", "PLUGIN_ROOT", ".codex-plugin/plugin.json"],
])(
  "P30 P34 the hook of the plugin, unless one was installed, and none beside one in settings (%#)",
  (parts, settings, variable, manifest) => {
    const folder = pluginFolder(parts, "1.2.3");
    const text = (path: string) => folder.get(path)?.text ?? "";
    expect(JSON.parse(text(manifest))).toMatchObject({ name: "skein", version: "1.2.3" });
    const hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>> =
      JSON.parse(text("hooks/hooks.json")).hooks;
    const commands = Object.values(hooks).flatMap((groups) =>
      groups.flatMap((group) => group.hooks.map((one) => one.command)),
    );
    expect([commands.length > 10, new Set(commands)]).toEqual([
      true,
      new Set([`sh "\${${variable}}/hook.sh"`, `sh "\${${variable}}/hook.sh" shell`]),
    ]);

    const place = join(root, "a folder");
    for (const [path, file] of folder) put(join(place, path), file.text, file.executable);
    put(join(place, PLUGIN_HOOK_NAME), "console.log('its own', ...process.argv.slice(2))");
    const home = join(root, "home");
    mkdirSync(home);
    const run = (command = commands[0] ?? "") => {
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, [variable]: place };
      return execFileSync("/bin/sh", ["-c", command], { cwd: root, env, encoding: "utf8" });
    };
    const alone = run();
    put(join(home, ".local", "share", "skein", "skein-hook"), '#!/bin/sh\necho "the installed one $*"\n', true);
    const beside = run();
    const ofShell = run(commands.find((command) => command.endsWith(" shell")));
    put(join(home, settings), '{"hooks":{"Stop":[{"hooks":[{"command":"/x/skein/skein-hook"}]}]}}');
    expect([alone, beside, ofShell, run()]).toEqual([
      `its own ${parts.client}\n`,
      `the installed one ${parts.client}\n`,
      `the installed one ${parts.client} shell\n`,
      "",
    ]);
  },
);
